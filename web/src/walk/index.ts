/** The walk, to be embedded anywhere: `<Walk document={…} options={…} />`. */
export { Walk, type WalkProps } from "./Walk";
export { Walk as WalkStore, SPEEDS, type Origin } from "./state/state";
export type { Answer, Ask, Panel, Question, WalkOptions, WalkState } from "./state/options";
export { graphOf } from "./source/formula";
export { PRESETS, type Preset } from "./source/presets";
export { fromFragment, LinkError, toFragment, type Shared } from "./state/share";
