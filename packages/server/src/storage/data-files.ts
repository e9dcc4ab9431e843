/** Files and folders of a data directory that several parts of the service use. */
export const DATA_FILES = {
  control: 'control.db',
  commitLog: 'commit-log',
  telemetry: 'telemetry',
  /** Which parts the engine must have (storage/clickhouse/parts/parts-record.ts). */
  partsRecord: 'telemetry.parts',
  /** Parts of the engine that were set aside (storage/clickhouse/damage/damage-record.ts). */
  damage: 'damage.jsonl',
  /** Losses that a start reported and a later start cannot detect by itself: lines of text, until they are accepted. */
  namedLosses: 'named-losses.txt',
  /** Starts that continued without missing data: one line of JSON each, `{at, losses}`. */
  acceptedLosses: 'accepted-losses.jsonl',
  /** A list of prices that replaces the built-in one (pricing/price-list.ts). */
  prices: 'prices.json',
} as const
