import type { ByteWriter } from '../rows/byte-writer.ts'

/**
 * A JSON object or array as the value of a String column in JSONEachRow; its bytes are stored unchanged. Copying them
 * is several times cheaper than printing a JSON string. But an empty line ends an insert for the engine, so the few
 * values with an empty line are printed.
 */
export function writeRawJson(out: ByteWriter, json: Buffer): void {
  if (json.includes(EMPTY_LINE)) out.text(JSON.stringify(json.toString()))
  else out.bytes(json)
}

const EMPTY_LINE = '\n\n'
