import { hash } from 'node:crypto'
import { isFields } from '@spoor/payloads/json'
import { isRawNumber } from '@spoor/payloads/exact-json'
import { type AlignedStep, alignSteps } from './align-steps.ts'
import type { StepContent } from './step-content.ts'
import { sketchOf } from './text-sketch.ts'

/** A place where two steps differ. A side that has nothing there has no member. */
export interface Difference {
  /** A JSON pointer into the step, in text that is JSON too. Of a list, the position at the left if it is there. */
  readonly path: string
  readonly left?: unknown
  readonly right?: unknown
}

export interface StepDifferences {
  readonly differences: readonly Difference[]
  /** How many are left out, because there are too many. */
  readonly more: number
  /** How many messages differ as they do in an earlier step: agents send a conversation again with each step. */
  readonly repeated: number
}

/** What a step has beside its content. It may differ between steps that did the same. */
export interface Figures {
  readonly usage: unknown
  /** US dollars. */
  readonly costUsd: number | null
}

const DIFFERENCES_OF_STEP = 50
/** Of one side of a difference, as JSON. */
const VALUE_CHARS = 4000
/** Of all differences of a comparison. */
const ALL_CHARS = 2_000_000
/** Shown before the first difference of two texts that are cut. */
const CHARS_BEFORE = 200
/** Messages that are not the same are aligned by the first characters of each. */
const MESSAGE_CHARS = 2000

/**
 * Finds the differences of pairs of steps, which are given in the order of the run. What it returns yields often, so
 * that it can be run in slices. `contents` is null for steps that did the same.
 */
export function differenceFinder() {
  const seen = new Set<string>()
  let room = ALL_CHARS
  return function* find(
    contents: { readonly left: StepContent; readonly right: StepContent } | null,
    left: Figures,
    right: Figures,
  ): Generator<void, StepDifferences> {
    const found: Difference[] = []
    let more = 0
    let repeated = 0
    const add: Add = (path, ...values) => {
      const difference = { path, ...shown(values) }
      const chars = JSON.stringify(difference).length
      if (found.length === DIFFERENCES_OF_STEP || chars > room) more += 1
      else {
        found.push(difference)
        room -= chars
      }
    }
    if (contents !== null) {
      const { messages, ...fields } = contents.left
      const { messages: others, ...otherFields } = contents.right
      compare('', fields, otherFields, add)
      for (const [path, key, ...values] of yield* changedMessages(messages, others)) {
        if (seen.has(key)) repeated += 1
        else compare(path, ...values, add)
        seen.add(key)
        yield
      }
    }
    compare('/token_usage', left.usage, right.usage, add)
    compare('/cost_usd', left.costUsd, right.costUsd, add)
    return { differences: found, more, repeated }
  }
}

/** Messages that differ, each with a key for all that differ in the same way. */
function* changedMessages(left: readonly unknown[], right: readonly unknown[]) {
  const [ofLeft, ofRight] = [left.map(toAligned), right.map(toAligned)]
  return (yield* alignSteps(ofLeft, ofRight)).flatMap(([l, r]) => {
    const [one, other] = [l === null ? '' : ofLeft[l]!.content, r === null ? '' : ofRight[r]!.content]
    if (one === other) return []
    const values: Values = [l === null ? undefined : left[l], r === null ? undefined : right[r]]
    return [[`/messages/${l ?? r}`, hash('sha1', `${one}\n${other}`, 'base64'), ...values] as const]
  })
}

function toAligned(message: unknown): AlignedStep {
  const content = JSON.stringify(message)
  const role = isFields(message) ? String(message['role']) : ''
  return { content, role, type: role, place: '', sketch: () => sketchOf(content.slice(0, MESSAGE_CHARS)) }
}

type Values = readonly [left: unknown, right: unknown]
type Add = (path: string, ...values: Values) => void

/** Recurses as deep as the values, which intake has bounded. */
function compare(path: string, left: unknown, right: unknown, add: Add): void {
  if (isObject(left) && isObject(right)) {
    for (const name of new Set([...Object.keys(left), ...Object.keys(right)]))
      compare(`${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, left[name], right[name], add)
  } else if (Array.isArray(left) && Array.isArray(right)) compareLists(path, left, right, add)
  else if (JSON.stringify(left) !== JSON.stringify(right)) add(path, left, right)
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return isFields(value) && !isRawNumber(value)
}

/** Elements between the same ones at the start and at the end are compared one by one. */
function compareLists(path: string, left: readonly unknown[], right: readonly unknown[], add: Add): void {
  const [ofLeft, ofRight] = [left.map((one) => JSON.stringify(one)), right.map((one) => JSON.stringify(one))]
  const shorter = Math.min(left.length, right.length)
  let start = 0
  while (start < shorter && ofLeft[start] === ofRight[start]) start += 1
  let same = 0
  while (same < shorter - start && ofLeft.at(-1 - same) === ofRight.at(-1 - same)) same += 1
  for (let at = start; at < Math.max(left.length, right.length) - same; at += 1) {
    const [one, other] = [
      at < left.length - same ? left[at] : undefined,
      at < right.length - same ? right[at] : undefined,
    ]
    compare(`${path}/${at}`, one, other, add)
  }
}

/** The values as far as they fit: of long texts the part around their first difference. */
function shown([left, right]: Values): Omit<Difference, 'path'> {
  if (isShort(left) && isShort(right)) return members(left, right)
  const [one, other] = [textOf(left), textOf(right)]
  let same = 0
  if (one !== undefined && other !== undefined) while (same < one.length && one[same] === other[same]) same += 1
  const from = Math.max(0, same - CHARS_BEFORE)
  return members(cut(one, from), cut(other, from))
}

function isShort(value: unknown): boolean {
  return value === undefined || JSON.stringify(value).length <= VALUE_CHARS
}

function members(left: unknown, right: unknown): Omit<Difference, 'path'> {
  return { ...(left === undefined ? {} : { left }), ...(right === undefined ? {} : { right }) }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : JSON.stringify(value)
}

/** With a mark where something is missing. */
function cut(text: string | undefined, from: number): string | undefined {
  if (text === undefined) return undefined
  const piece = text.slice(from, from + VALUE_CHARS).toWellFormed()
  return `${from === 0 ? '' : '…'}${piece}${from + VALUE_CHARS < text.length ? '…' : ''}`
}
