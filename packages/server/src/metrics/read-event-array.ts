import type { Limits } from '@spoor/contract/limits'
import { JsonScanner } from '../lib/json/json-scan.ts'
import type { PendingLine } from '../lib/lines/line-group.ts'
import { outlineObject } from '../lib/json/object-outline.ts'
import { readScannedJson, refuseScannedJson } from '../lib/json/parse-json.ts'
import { type Outcome, refused, toDomainError } from '../lib/validation/refusal.ts'
import { invalid } from '../lib/validation/validation-failed.ts'
import { type InTurns, resultInTurns } from '../lib/flow/work-turns.ts'
import { type ParsedMetricEvent, readMetricEvent } from './parse-metric-event.ts'
import { refuseEvent } from './refuse-event.ts'
import { GROUP_BYTES, GROUP_EVENTS } from './write-events.ts'

/** Whether a body that is JSON holds an array. */
export function isJsonArray(body: Buffer): boolean {
  return new JsonScanner(body, 1).enterArray()
}

/**
 * The elements of a JSON array, checked group by group on request. Throws DomainError `invalid_encoding`,
 * `malformed_json`, or `validation_failed` when the array as a whole is too long or too deep. `body` MUST NOT change
 * until the last group was read.
 */
export async function readEventArray(
  body: Buffer,
  limits: Limits,
  inTurns: InTurns,
): Promise<AsyncIterable<readonly PendingLine<ParsedMetricEvent>[]>> {
  const scanner = new JsonScanner(body, limits.jsonDepth + 1)
  const values: unknown[] = []
  /** End positions of elements that are too long, by their index. */
  const longEnds = new Map<number, number>()
  let regular = scanner.enterArray()
  await inTurns(() => {
    const end = scanner.position
    if (!scanner.nextElement()) return false
    const start = scanner.position
    scanner.skipValue()
    const element = body.subarray(start, scanner.position)
    // An element that is too long gets its result without being parsed, as a line does.
    const isLong = element.length > limits.metricEventBytes
    if (isLong) longEnds.set(values.length, scanner.position)
    const read = isLong ? TOO_LONG : readScannedJson(new JsonScanner(element, Infinity))
    regular &&= 'value' in read && body.subarray(end, start).includes(COMMA) === values.length > 0
    if (regular && 'value' in read) values.push(read.value)
    return regular && values.length <= limits.linesPerJsonResponse
  })
  if (values.length > limits.linesPerJsonResponse) {
    const detail = `An array must have at most ${limits.linesPerJsonResponse} events; send the others as NDJSON.`
    throw invalid({ pointer: '', code: 'too_many', detail })
  }
  regular &&= scanner.failure === null && (await isBlank(body, scanner.position, inTurns))
  if (!regular) {
    // There is an error in the text around the elements or in one of them: this finds its reason and position.
    const { refusal } = await resultInTurns(refuseScannedJson(scanner), inTurns)
    throw toDomainError(refusal)
  }
  return groupsOf(body, values, longEnds, limits, inTurns)
}

async function isBlank(body: Buffer, from: number, inTurns: InTurns): Promise<boolean> {
  let at = from
  let blank = true
  await inTurns(() => {
    blank = /^[ \t\r\n]*$/.test(body.toString('latin1', at, (at += SLICE_BYTES)))
    return blank && at < body.length
  })
  return blank
}

/** Takes about a millisecond. */
const SLICE_BYTES = 64 * 1024

const COMMA = 0x2c
const TOO_LONG: Outcome<unknown> = { value: null }

async function* groupsOf(
  body: Buffer,
  values: readonly unknown[],
  longEnds: ReadonlyMap<number, number>,
  limits: Limits,
  inTurns: InTurns,
): AsyncGenerator<readonly PendingLine<ParsedMetricEvent>[]> {
  const scanner = new JsonScanner(body, limits.jsonDepth + 1)
  scanner.enterArray()
  for (let index = 0; index < values.length;) {
    const group: PendingLine<ParsedMetricEvent>[] = []
    let bytes = 0
    await inTurns(() => {
      if (!scanner.nextElement()) return false
      const start = scanner.position
      const longEnd = longEnds.get(index)
      const value = values[index]
      const line = ++index
      let read: Outcome<ParsedMetricEvent>
      if (longEnd === undefined) {
        read = readMetricEvent(body, value, outlineObject(scanner), limits)
      } else {
        scanner.position = longEnd
        read = tooLarge(limits)
      }
      if ('refusal' in read) {
        group.push(refuseEvent(line, read.refusal))
      } else {
        group.push({ line, parsed: read.value })
        bytes += scanner.position - start
      }
      return group.length < GROUP_EVENTS && bytes < GROUP_BYTES
    })
    yield group
  }
}

function tooLarge({ metricEventBytes }: Limits): Outcome<never> {
  return refused('line_too_large', `An event must have at most ${metricEventBytes} bytes.`)
}
