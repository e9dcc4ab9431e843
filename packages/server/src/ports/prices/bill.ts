import { pricedName } from './price.ts'
import type { ModelUsage, StepUsage, TokenUsage } from '../traces/trace-record.ts'

/**
 * Counts by kind: input, output, cache read, cache write, reasoning; cache write for an hour, audio in, audio out,
 * image in, image out; the sender's cost in billionths of a dollar.
 */
export type Counts = readonly number[]

export const NOTHING: Counts = Array.from({ length: 11 }, () => 0)

/** The places of the counts that a model is billed for. */
export const INPUT = 0
export const OUTPUT = 1
export const SENT = 10

export function toCounts({ input, output, cacheRead, cacheWrite, reasoning, more }: StepUsage): Counts {
  if (more === null) return [input, output, cacheRead, cacheWrite, reasoning, 0, 0, 0, 0, 0, 0]
  const { cacheWriteHour, audioInput, audioOutput, imageInput, imageOutput, sentCost } = more
  const special = [cacheWriteHour, audioInput, audioOutput, imageInput, imageOutput, sentCost]
  return [input, output, cacheRead, cacheWrite, reasoning, ...special]
}

export function tokensOf(counts: Counts): TokenUsage {
  const [input, output, cacheRead, cacheWrite, reasoning] = counts.map(bounded) as [
    number,
    number,
    number,
    number,
    number,
  ]
  return { input, output, cacheRead, cacheWrite, reasoning }
}

/** Whose price tokens have. */
export interface Billing {
  readonly model: string | null
  readonly isBatch: boolean
  /** The threshold in tokens that the input of the call exceeds, so that a higher rate applies; null below it. */
  readonly above: number | null
}

/** The input above which a model has a higher rate, tokens; null if it has none. */
export type ContextLimit = (model: string) => number | null

export function billingOf(model: string | null, { input, more }: StepUsage, contextLimit: ContextLimit): Billing {
  const limit = model === null ? null : contextLimit(model)
  return { model, isBatch: more?.isBatch ?? false, above: limit !== null && input > limit ? limit : null }
}

/** Input, output, cache read and cache write by priced name. A name that has none is absent. */
export type Bill = Map<string, Counts>

/** Adds tokens to a bill, each to the one rate that it has. */
export function charge(bill: Bill, { model, isBatch, above }: Billing, counts: Counts): void {
  const count = (kind: number) => counts[kind] as number
  const name = (rate: string) => pricedName(model ?? '', rate)
  if (count(SENT) > 0) {
    add(bill, name('sent'), [count(SENT), 0, 0, 0])
    return
  }
  const [input, output, cacheRead, cacheWrite] = [0, 1, 2, 3].map(count) as [number, number, number, number]
  // Each is a part of its whole.
  const hour = Math.min(count(5), cacheWrite)
  const audioIn = Math.min(count(6), input)
  const audioOut = Math.min(count(7), output)
  const imageIn = Math.min(count(8), input - audioIn)
  const imageOut = Math.min(count(9), output - audioOut)
  const list = [input - hour - audioIn - imageIn, output - audioOut - imageOut, cacheRead, cacheWrite - hour]
  const rate = `${isBatch ? 'batch' : ''}${above === null ? '' : `>${above}`}`
  add(
    bill,
    name(rate),
    list.map((tokens) => Math.max(0, tokens)),
  )
  if (hour > 0) add(bill, name('1h'), [hour, 0, 0, hour])
  if (audioIn + audioOut > 0) add(bill, name('audio'), [audioIn, audioOut, 0, 0])
  if (imageIn + imageOut > 0) add(bill, name('image'), [imageIn, imageOut, 0, 0])
}

/** Adds a step to a bill; its input counts at least its cached tokens. */
export function billOfStep(billing: Billing, counts: Counts, bill: Bill = new Map()): Bill {
  const [input, output, cacheRead, cacheWrite] = counts as [number, number, number, number]
  charge(bill, billing, [Math.max(input, cacheRead + cacheWrite), output, ...counts.slice(2)])
  return bill
}

/** The tokens that a step itself is billed for, by priced name. */
export function usageOfStep(
  { model, tokenUsage }: { readonly model: string | null; readonly tokenUsage: StepUsage | null },
  contextLimit: ContextLimit,
): readonly ModelUsage[] {
  if (tokenUsage === null) return NO_BILL
  return usageOfBill(billOfStep(billingOf(model, tokenUsage, contextLimit), toCounts(tokenUsage))) ?? NO_BILL
}

const NO_BILL: readonly ModelUsage[] = []

export function addBill(bill: Bill, more: Bill, sign: 1 | -1): void {
  for (const [name, counts] of more) add(bill, name, sign === 1 ? counts : counts.map((count) => -count))
}

export function add(bill: Bill, name: string, more: Counts): void {
  const known = bill.get(name)
  const sum = known === undefined ? more : known.map((count, kind) => count + (more[kind] as number))
  if (sum.some((count) => count !== 0)) bill.set(name, sum)
  else if (known !== undefined) bill.delete(name)
}

/** A trace that uses more models has no cost in lists, so that its row stays small. */
export const MOST_PRICED_MODELS = 100

/** As a trace has it: tokens without a model have no price, and are left out. Null for too many models. */
export function usageOfBill(bill: Bill): readonly ModelUsage[] | null {
  const usage: ModelUsage[] = []
  for (const [model, counts] of bill) {
    if (model === '') continue
    if (usage.length === MOST_PRICED_MODELS) return null
    const [input, output, cacheRead, cacheWrite] = counts.map(bounded) as [number, number, number, number]
    usage.push({ model, tokens: { input, output, cacheRead, cacheWrite } })
  }
  return usage
}

export function billOfUsage(usage: readonly ModelUsage[]): Bill {
  return new Map(
    usage.map(({ model, tokens: { input, output, cacheRead, cacheWrite } }) => [
      model,
      [input, output, cacheRead, cacheWrite],
    ]),
  )
}

/** Counts stay exact integers: a sum saturates at 2^53 - 1. */
export function bounded(sum: number): number {
  return Math.max(0, Math.min(sum, Number.MAX_SAFE_INTEGER))
}
