import type { ProjectId } from '@spoor/contract/ids'
import type { Limits } from '@spoor/contract/limits'
import type { NamedVerdict, PreparedExport, PreparedSpan, SpanMedia } from '../../ports/traces/prepared.ts'
import { mapSpan } from './map/map-span.ts'
import { decodeLangfuse } from './langfuse/decode-batch.ts'
import { decodeLangSmith } from './langsmith/decode-runs.ts'
import { spansOfRecords } from './map/log-records.ts'
import type { SpanForm } from './otlp-encoding.ts'
import { decodeJson, decodeJsonLogs } from './wire/decode-json.ts'
import { decodeProtobuf, decodeProtobufLogs } from './wire/decode-protobuf.ts'
import { BadSpan, type Sent, type Span } from './wire/span.ts'

/** Reasons that an answer names. */
const MOST_REASONS = 5

/**
 * An `ExportTraceServiceRequest` or an `ExportLogsServiceRequest`, from its raw bytes. A span or a record that cannot
 * be taken is rejected alone. A value that breaks a rule is moved aside, and the reasons name it. Throws DomainError
 * `bad_request`, `malformed_json` or `invalid_encoding` when the request itself cannot be decoded. The result shares no
 * memory with `bytes`.
 */
export function parseExport(projectId: ProjectId, bytes: Uint8Array, form: SpanForm, limits: Limits): PreparedExport {
  const spans: PreparedSpan[] = []
  const found = parseSpans(projectId, bytes, form, limits)
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
  form: SpanForm,
  limits: Limits,
): Generator<PreparedSpan, Omit<PreparedExport, 'spans'>> {
  const media = new Map<string, SpanMedia>()
  const reasons = new Set<string>()
  const verdicts: NamedVerdict[] = []
  let count = 0
  const refuse = (error: unknown, names: readonly string[] = []) => {
    if (!(error instanceof BadSpan)) throw error
    count += 1
    if (reasons.size < MOST_REASONS) reasons.add(error.message)
    for (const name of names) verdicts.push({ name, refused: error.message })
  }
  for (const { origin, names = [], decode } of DECODERS[form](bytes, refuse, projectId)) {
    let mapped: ReturnType<typeof mapSpan> | null
    try {
      const span = decode()
      mapped = span === null ? null : mapSpan(projectId, span, origin, limits)
    } catch (error) {
      refuse(error, names)
      continue
    }
    for (const name of names) verdicts.push({ name, refused: null })
    if (mapped === null) continue
    for (const warning of mapped.warnings)
      if (reasons.size < MOST_REASONS) reasons.add(`${warning} (the span was taken)`)
    for (const one of mapped.media) if (!media.has(one.sha256)) media.set(one.sha256, one)
    yield names.length === 0 ? mapped.span : { ...mapped.span, names }
  }
  const named = verdicts.length === 0 ? {} : { verdicts }
  return { media: [...media.values()], rejected: { count, reasons: [...reasons], ...named } }
}

const DECODERS: Readonly<
  Record<
    SpanForm,
    (bytes: Uint8Array, refuse: (error: unknown) => void, projectId: ProjectId) => readonly Sent<Span | null>[]
  >
> = {
  protobuf: decodeProtobuf,
  json: decodeJson,
  'protobuf logs': (bytes, refuse) => spansOfRecords(decodeProtobufLogs(bytes), refuse),
  'json logs': (bytes, refuse) => spansOfRecords(decodeJsonLogs(bytes), refuse),
  langfuse: (bytes, _refuse, projectId) => decodeLangfuse(bytes, projectId),
  langsmith: decodeLangSmith,
}
