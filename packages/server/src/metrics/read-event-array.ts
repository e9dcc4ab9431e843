import type { Limits } from '@spoor/contract/limits'
import { DomainError } from '../lib/domain-error.ts'
import { JsonScanner } from '../lib/json-scan.ts'
import type { PendingLine } from '../lib/line-group.ts'
import { outlineObject } from '../lib/object-outline.ts'
import { parseScannedJson } from '../lib/parse-json.ts'
import { type ParsedMetricEvent, readMetricEvent } from './parse-metric-event.ts'
import { refuseEvent } from './refuse-event.ts'
import { GROUP_BYTES, GROUP_EVENTS } from './write-events.ts'

/** Whether a body that is JSON holds an array. */
export function isJsonArray(body: Buffer): boolean {
  return new JsonScanner(body, 1).enterArray()
}

/**
 * The elements of a JSON array, judged group by group as they are asked for. Throws DomainError `invalid_encoding`, `malformed_json`, or `validation_failed` when the
 * array as a whole is too long or too deep. `body` MUST stay as it is until the last group was read.
 */
export function readEventArray(body: Buffer, limits: Limits): Iterable<readonly PendingLine<ParsedMetricEvent>[]> {
  const scanner = new JsonScanner(body, limits.jsonDepth + 1)
  let count = 0
  // Counted before a value is built for each: too many small ones would take many times the body's size in memory.
  if (scanner.enterArray()) while (scanner.nextElement() && scanner.skipValue()) count += 1
  if (count > limits.linesPerJsonResponse) {
    const detail = `An array must have at most ${limits.linesPerJsonResponse} events; send the others as NDJSON.`
    throw new DomainError('validation_failed', detail, { errors: [{ pointer: '', code: 'too_many', detail }] })
  }
  return groupsOf(body, parseScannedJson(scanner) as readonly unknown[], limits)
}

function* groupsOf(
  body: Buffer,
  values: readonly unknown[],
  limits: Limits,
): Generator<readonly PendingLine<ParsedMetricEvent>[]> {
  const scanner = new JsonScanner(body, limits.jsonDepth + 1)
  scanner.enterArray()
  let group: PendingLine<ParsedMetricEvent>[] = []
  let bytes = 0
  for (let index = 0; scanner.nextElement(); index++) {
    const start = scanner.position
    const outline = outlineObject(scanner)
    const length = scanner.position - start
    const line = index + 1
    try {
      if (length > limits.metricEventBytes) throw eventTooLarge(limits)
      group.push({ line, parsed: readMetricEvent(body, values[index], outline, limits) })
      bytes += length
    } catch (error) {
      if (!(error instanceof DomainError)) throw error
      group.push(refuseEvent(line, error))
    }
    if (group.length < GROUP_EVENTS && bytes < GROUP_BYTES) continue
    yield group
    group = []
    bytes = 0
  }
  if (group.length > 0) yield group
}

function eventTooLarge({ metricEventBytes }: Limits): DomainError {
  return new DomainError('line_too_large', `An event must have at most ${metricEventBytes} bytes.`)
}
