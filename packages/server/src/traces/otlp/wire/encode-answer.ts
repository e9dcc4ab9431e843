/**
 * The three messages that are sent to exporters, in protobuf. They have a few short fields, so they need no library,
 * which errors before any export would have to load.
 */

const VARINT = 0
const LENGTH_DELIMITED = 2

/**
 * An `ExportTraceServiceResponse`; those for metrics and logs have the same fields. With nothing refused and nothing to
 * say it has no bytes.
 */
export function encodeExportResponse(rejected: number, errorMessage: string): Buffer {
  if (rejected === 0 && errorMessage === '') return Buffer.alloc(0)
  return field(1, Buffer.concat([integer(1, rejected), text(2, errorMessage)]))
}

/** A `google.rpc.Status`. */
export function encodeStatus(code: number, message: string): Buffer {
  return Buffer.concat([integer(1, code), text(2, message)])
}

/** The message of a `google.rpc.Status` that `encodeStatus` has made with a code below 128; null for other bytes. */
export function messageOfStatus(status: Buffer): string | null {
  // The code, the head of the message, and its length as a varint.
  const rest = status.subarray(3)
  const at = rest.findIndex((byte) => byte < 0x80) + 1
  const isStatus = status[0] === ((1 << 3) | VARINT) && status[2] === ((2 << 3) | LENGTH_DELIMITED) && at > 0
  return isStatus ? rest.toString('utf8', at) : null
}

const RETRY_INFO = 'type.googleapis.com/google.rpc.RetryInfo'

/** A `google.rpc.Status` with a `google.rpc.RetryInfo` as its detail: the client may send the same again. */
export function encodeRetryStatus(code: number, message: string, retryAfterSeconds: number): Buffer {
  const duration = integer(1, retryAfterSeconds)
  const detail = Buffer.concat([text(1, RETRY_INFO), field(2, field(1, duration))])
  return Buffer.concat([encodeStatus(code, message), field(3, detail)])
}

function text(number: number, value: string): Buffer {
  return value === '' ? Buffer.alloc(0) : field(number, Buffer.from(value))
}

function field(number: number, bytes: Buffer): Buffer {
  return Buffer.concat([varint((number << 3) | LENGTH_DELIMITED), varint(bytes.length), bytes])
}

function integer(number: number, value: number): Buffer {
  return value === 0 ? Buffer.alloc(0) : Buffer.concat([varint((number << 3) | VARINT), varint(value)])
}

function varint(value: number): Buffer {
  const bytes: number[] = []
  let rest = value
  while (rest >= 0x80) {
    bytes.push((rest % 0x80) | 0x80)
    rest = Math.floor(rest / 0x80)
  }
  return Buffer.from([...bytes, rest])
}
