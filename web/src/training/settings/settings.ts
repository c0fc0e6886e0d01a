/** What the settings have in common. */

import type { Configuration, Limits, Refusal } from "../run/protocol";
import type { TrainingRoom } from "../run/room";

export interface SettingProps {
  room: TrainingRoom;
  configuration: Configuration;
  limits: Limits;
}

/** Returns the refusal of one member of the configuration, or null. */
export function refusalAt(room: TrainingRoom, member: keyof Configuration): Refusal | null {
  const refusal = room.refusal.value;
  return refusal?.where.match(new RegExp(`^configuration\\.${member}(\\[|$)`)) ? refusal : null;
}
