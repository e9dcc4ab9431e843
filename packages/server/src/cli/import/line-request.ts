import { isId } from '@spoor/contract/ids'
import { parseJson } from '@spoor/payloads/json'
import { JsonScanner } from '../../lib/json/json-scan.ts'
import { outlineObject } from '../../lib/json/object-outline.ts'

/**
 * What a line of a file is: the body of a trace, what a recorder keeps while it cannot reach the service, or a row of
 * another service. A batch is what its own senders send, calls are metric events and flags. They may be sent again as
 * they are.
 */
export type LineRequest =
  | { readonly kind: 'trace'; readonly body: Buffer }
  | { readonly kind: 'batch'; readonly path: string; readonly body: Buffer }
  | { readonly kind: 'call'; readonly method: 'POST' | 'PATCH' | 'PUT'; readonly path: string; readonly body: Buffer }
  | { readonly kind: 'invalid'; readonly detail: string }

/** No trace body has the field `kind`. */
const OF_RECORDER = /^\s*\{\s*"kind"\s*:/
const LONGEST_START = 64
const QUOTE = 0x22

const SPANS_PATH = 'otlp/v1/traces'
/** A file must not call anything else. */
const CALLS: ReadonlyMap<string, { readonly method: 'POST' | 'PATCH'; readonly path: RegExp }> = new Map([
  ['metric', { method: 'POST', path: /^\/?(v1\/metrics\/events)$/ }],
  ['flag', { method: 'PATCH', path: /^\/?(v1\/traces\/[\w-]{1,64})$/ }],
])

/** A part of an exported run whose earlier parts must be there. */
const LATER_PART = /^\{"id":"tr_\w{26}","from":(?:[1-9]|0,"events_from")/

/**
 * Whether it needs what the lines before it commit: all of them, or those that are no calls, such as the trace of a
 * metric event or of a flag.
 */
export function needsLines(line: Buffer): 'all' | 'others' | 'none' {
  if (LATER_PART.test(line.toString('latin1', 0, LONGEST_START))) return 'all'
  return isOfRecorder(line) && toLineRequest(line).kind === 'call' ? 'others' : 'none'
}

/** A line of an export of runs: the trace keeps its id. */
export function toPartRequest(line: Buffer): LineRequest {
  const id = textOf(rawFields(line)?.get('id'))
  if (!isId('tr', id)) return invalid('A line with ids is one of `spoor export runs`: its `id` is that of a trace.')
  return { kind: 'call', method: 'PUT', path: `v1/traces/${id}`, body: line }
}

function isOfRecorder(line: Buffer): boolean {
  return OF_RECORDER.test(line.toString('latin1', 0, LONGEST_START))
}

/** The body is the line's own bytes. */
export function toLineRequest(line: Buffer): LineRequest {
  if (!isOfRecorder(line)) return { kind: 'trace', body: line }
  const fields = rawFields(line)
  const body = fields?.get('body')
  const kind = textOf(fields?.get('kind'))
  if (body === undefined || kind === null) return invalid('A line of a recorder has the fields `kind` and `body`.')
  if (kind === 'spans') return { kind: 'batch', path: SPANS_PATH, body }
  const call = CALLS.get(kind)
  if (call === undefined) return invalid('`kind` must be `spans`, `metric` or `flag`.')
  const [, path] = call.path.exec(textOf(fields?.get('path')) ?? '') ?? []
  if (path === undefined) return invalid(`\`path\` is not one of a ${kind}.`)
  return { kind: 'call', method: call.method, path, body }
}

/** The path below the address of the service. */
export function pathOf(request: Exclude<LineRequest, { readonly kind: 'invalid' }>): string {
  return request.kind === 'trace' ? 'v1/traces' : request.path
}

function invalid(detail: string): LineRequest {
  return { kind: 'invalid', detail }
}

function rawFields(line: Buffer): Map<string, Buffer> | null {
  const scanner = new JsonScanner(line, Infinity)
  const outline = outlineObject(scanner)
  if (outline === null || scanner.failure !== null) return null
  return new Map(
    outline.members.map(({ keyStart, keyEnd, start, end }) => [
      textOf(line.subarray(keyStart, keyEnd)) ?? '',
      line.subarray(start, end),
    ]),
  )
}

function textOf(json: Buffer | undefined): string | null {
  const value = json?.[0] === QUOTE ? parseJson(json.toString()) : null
  return typeof value === 'string' ? value : null
}
