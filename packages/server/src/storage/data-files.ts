/** Files and folders of a data directory that more than one part of the service knows. */
export const DATA_FILES = {
  control: 'control.db',
  commitLog: 'commit-log',
  telemetry: 'telemetry',
  /** Which parts the engine must have (telemetry/parts/parts-record.ts). */
  partsRecord: 'telemetry.parts',
  /** Parts of the engine that were set aside (telemetry/damage/damage-record.ts). */
  damage: 'damage.jsonl',
  /** Losses that a start named and that a later one cannot find by itself: lines of text, until they are accepted. */
  namedLosses: 'named-losses.txt',
  /** Starts that went on without data that was missing: a line of JSON each, `{at, losses}`. */
  acceptedLosses: 'accepted-losses.jsonl',
} as const

/** Of folders that `spoor check` makes and removes. */
export const CHECK_FOLDER_PREFIX = 'check-'
