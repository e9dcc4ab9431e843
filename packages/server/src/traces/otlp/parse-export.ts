import type { ProjectId } from '@spoor/contract/ids'
import type { Limits } from '@spoor/contract/limits'
import type { PreparedExport, PreparedSpan, SpanMedia } from '../../ports/traces/prepared.ts'
import { mapSpan } from './map/map-span.ts'
import type { OtlpEncoding } from './otlp-encoding.ts'
import { decodeJson } from './wire/decode-json.ts'
import { decodeProtobuf } from './wire/decode-protobuf.ts'
import { BadSpan } from './wire/span.ts'

/** Reasons that an answer names. */
const MOST_REASONS = 5

/**
 * An `ExportTraceServiceRequest`, from its raw bytes. A span that cannot be taken is rejected alone. A value that
 * breaks a rule is moved aside, and the reasons name it. Throws DomainError `bad_request`, `malformed_json` or
 * `invalid_encoding` when the request itself cannot be decoded. The result shares no memory with `bytes`.
 */
export function parseExport(
  projectId: ProjectId,
  bytes: Uint8Array,
  encoding: OtlpEncoding,
  limits: Limits,
): PreparedExport {
  const spans: PreparedSpan[] = []
  const found = parseSpans(projectId, bytes, encoding, limits)
  for (;;) {
    const { value, done } = found.next()
    if (done === true) return { spans, ...value }
    spans.push(value)
  }
}

/** The same span by span, then the rest. Throws before the first span. */
export function* parseSpans(
  projectId: ProjectId,
  bytes: Uint8Array,
  encoding: OtlpEncoding,
  limits: Limits,
): Generator<PreparedSpan, Omit<PreparedExport, 'spans'>> {
  const sent = encoding === 'protobuf' ? decodeProtobuf(bytes) : decodeJson(bytes)
  const media = new Map<string, SpanMedia>()
  const reasons = new Set<string>()
  let count = 0
  for (const { origin, decode } of sent) {
    let mapped: ReturnType<typeof mapSpan>
    try {
      mapped = mapSpan(projectId, decode(), origin, limits)
    } catch (error) {
      if (!(error instanceof BadSpan)) throw error
      count += 1
      if (reasons.size < MOST_REASONS) reasons.add(error.message)
      continue
    }
    for (const warning of mapped.warnings)
      if (reasons.size < MOST_REASONS) reasons.add(`${warning} (the span was taken)`)
    for (const one of mapped.media) if (!media.has(one.sha256)) media.set(one.sha256, one)
    yield mapped.span
  }
  return { media: [...media.values()], rejected: { count, reasons: [...reasons] } }
}
