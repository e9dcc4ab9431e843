import type { ByteWriter } from '../rows/byte-writer.ts'

/**
 * A JSON object or array as the value of a String column in JSONEachRow: its bytes are stored unchanged. They go to the
 * engine as they are, which is several times cheaper than printing them as a JSON string; but to the engine an empty
 * line ends the data of an insert, so those few that hold one are printed.
 */
export function writeRawJson(out: ByteWriter, json: Buffer): void {
  if (json.includes(EMPTY_LINE)) out.text(JSON.stringify(json.toString()))
  else out.bytes(json)
}

const EMPTY_LINE = '\n\n'
