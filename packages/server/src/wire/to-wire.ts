import { COST_DECIMALS } from '@spoor/contract/schemas/price'
import type { TokenTotals } from '@spoor/contract/schemas/traces/token-usage'
import type { Attachment } from '../ports/media/media-record.ts'
import { toMediaUri } from '../ports/media/media-uri.ts'
import type { Snippet } from '../traces/read/search-snippets.ts'
import type { CommitReceipt, LineVerdict } from '../traces/use-cases.ts'
import { hasRoot, type TokenUsage, type TraceRecord } from '../ports/traces/trace-record.ts'
import { durationOf, recoveredErrors, totalTokens } from '../traces/rules/rollup.ts'
import { findingKindsOf, wastedOf } from '../traces/rules/run-calls.ts'
import type { Price, TokenRates } from '../ports/prices/price.ts'
import type { StoredKey } from '../ports/access/key-store.ts'
import type { Project } from '../ports/access/project-store.ts'
import type { Session } from '../ports/access/session.ts'

/*
 * Converts records to the wire: snake_case, ISO times. JSON text is built by hand where it contains the client's own
 * JSON verbatim: parsing and serializing that again would change numbers and take most of the time.
 */

export function toWireTime(ms: number): string {
  return new Date(ms).toISOString()
}

export function toWireTimeOrNull(ms: number | null): string | null {
  return ms === null ? null : toWireTime(ms)
}

/** US dollars, rounded for the wire. */
export function toWireCost(costUsd: number | null): number | null {
  return costUsd === null ? null : Number(costUsd.toFixed(COST_DECIMALS))
}

/** A row of the list of traces as JSON text. `costUsd`: US dollars. */
export function toTraceRow(trace: TraceRecord, attachmentCount: number, costUsd: number | null): string {
  return `{${traceMembers(trace, attachmentCount)},"cost_usd":${toWireCost(costUsd)}}`
}

/** Members of a trace that its record has but lists omit. */
export function traceDetailMembers(trace: TraceRecord): string {
  const { ownEndedAt, stepsEndedAt, flagReason } = trace
  return JSON.stringify({
    ended_at: toWireTimeOrNull(ownEndedAt ?? stepsEndedAt),
    flag_reason: flagReason,
    masked: trace.digest.masked ?? {},
  }).slice(1, -1)
}

/** Members of a row of the list, except its cost. */
export function traceMembers(trace: TraceRecord, attachmentCount: number): string {
  const before = JSON.stringify({
    id: trace.id,
    name: trace.name,
    run_type: trace.runType,
    state: trace.flagged ? 'flagged' : 'committed',
    status: trace.status,
    recovered_errors: recoveredErrors(trace),
    finding_kinds: findingKindsOf(trace.digest.calls),
    wasted_tokens: wastedOf(trace.digest.calls).tokens,
  })
  const after = JSON.stringify({
    growing: trace.growing,
    root_seen: hasRoot(trace),
    created_at: toWireTime(trace.createdAt),
    updated_at: toWireTime(trace.updatedAt ?? trace.createdAt),
    started_at: toWireTimeOrNull(trace.ownStartedAt ?? trace.stepsStartedAt),
    duration_ms: durationOf(trace),
    step_count: trace.stepCount,
    models: trace.models,
    token_usage: toTokenTotals(trace.tokenUsage),
    session_id: trace.sessionId,
    user_id: trace.userId,
    attachment_count: attachmentCount,
    ...previewsOf(trace),
  })
  return `${before.slice(1, -1)},"metadata":${trace.metadata.toString('utf8')},${after.slice(1, -1)}`
}

export function toTokenTotals(usage: TokenUsage): TokenTotals {
  const { input, output, cacheRead, cacheWrite, reasoning } = usage
  return { input, output, total: totalTokens(usage), cache_read: cacheRead, cache_write: cacheWrite, reasoning }
}

function previewsOf({ digest, status }: TraceRecord) {
  const output = (status === 'error' ? digest.error : null) ?? digest.output
  return { input_preview: digest.input?.text ?? null, output_preview: output?.text ?? null }
}

export function toSnippet(snippet: Snippet | undefined) {
  if (snippet === undefined) return null
  const { stepId, text, ranges } = snippet
  return { step_id: stepId, text, ranges }
}

export function toReceipt(receipt: CommitReceipt) {
  return {
    id: receipt.id,
    state: 'committed',
    step_ids: receipt.stepIds,
    committed_at: toWireTime(receipt.committedAt),
  }
}

export function toLineResult(verdict: LineVerdict) {
  const { line, status } = verdict
  if (status === 'error') return { line, status, code: verdict.code, detail: verdict.detail, pointer: verdict.pointer }
  return { line, status, step_id: verdict.stepId }
}

export function toProject(project: Project) {
  const {
    id,
    name,
    createdAt,
    spanFilter: span_filter,
    versionKey: version_key,
    taskKey: task_key,
    inputPath: input_path,
    retention,
    masking,
  } = project
  return {
    id,
    name,
    created_at: toWireTime(createdAt),
    span_filter,
    version_key,
    task_key,
    input_path,
    retention: { days: retention.days, flagged_days: retention.flaggedDays, media_days: retention.mediaDays },
    masking,
  }
}

export function toKey(key: StoredKey) {
  return {
    id: key.id,
    name: key.name,
    scopes: key.scopes,
    expires_at: toWireTimeOrNull(key.expiresAt),
    last_four: key.lastFour,
    created_at: toWireTime(key.createdAt),
    requests_per_second: key.limits.requestsPerSecond,
    bytes_per_second: key.limits.bytesPerSecond,
  }
}

export function toSession(
  { keyId, keyExpiresAt, projectId, scopes, expiresAt, createdAt }: Session,
  projectName: string,
) {
  return {
    key_id: keyId,
    key_expires_at: toWireTimeOrNull(keyExpiresAt),
    project_id: projectId,
    project_name: projectName,
    scopes: [...scopes],
    expires_at: toWireTime(expiresAt),
    created_at: toWireTime(createdAt),
  }
}

export function toPrice(price: Price) {
  return {
    model: price.model,
    ...toRates(price),
    source: price.source,
    effective_date: price.effectiveDate,
    updated_at: toWireTimeOrNull(price.updatedAt),
    ...(price.special.size > 0 ? { special_rates: [...price.special].map(toSpecialRate) } : {}),
  }
}

function toRates({ input, output, cacheRead, cacheWrite }: TokenRates) {
  return {
    input_usd_per_million: input,
    output_usd_per_million: output,
    cache_read_usd_per_million: cacheRead,
    cache_write_usd_per_million: cacheWrite,
  }
}

/** See ModelRates for the names. */
function toSpecialRate([name, rates]: readonly [string, TokenRates]) {
  const [kind = '', above] = name.split('>')
  return {
    applies_to: kind === '' ? 'all' : kind === '1h' ? 'cache_1h' : kind,
    above_input_tokens: above === undefined ? null : Number(above),
    ...toRates(rates),
  }
}

export function toAttachment(attachment: Attachment) {
  return {
    id: attachment.id,
    uri: toMediaUri(attachment),
    kind: attachment.kind,
    content_type: attachment.contentType,
    size_bytes: attachment.sizeBytes,
    width: attachment.width,
    height: attachment.height,
    sha256: attachment.sha256,
    filename: attachment.filename,
    trace_id: attachment.traceId,
    step_id: attachment.stepId,
    created_at: toWireTime(attachment.createdAt),
  }
}
