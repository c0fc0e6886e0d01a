/** The walk, to be embedded anywhere: `<Walk document={…} options={…} />`. */
export { Walk, type WalkProps } from "./Walk";
export { Walk as WalkStore, SPEEDS, type Origin } from "./state";
export type { Answer, Ask, Panel, Question, WalkOptions, WalkState } from "./options";
export { graphOf } from "./formula";
export { PRESETS, type Preset } from "./presets";
export { fromFragment, LinkError, toFragment, type Shared } from "./share";
