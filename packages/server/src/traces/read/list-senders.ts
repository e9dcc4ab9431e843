import type { ProjectId } from '@spoor/contract/ids'
import { type AdviceKind, MOST_ADVICE, MOST_SENDERS, SENDER_DAYS } from '@spoor/contract/senders'
import type { Clock } from '../../lib/time/clock.ts'
import { pricedName } from '../../ports/prices/price.ts'
import type { SenderCount, SenderCountStore, StepMark } from '../../ports/traces/sender-counts.ts'
import { KeptSenderCounts } from './kept-sender-counts.ts'
import type { Pricer } from '../../ports/prices/price.ts'

/** Counts of steps from one sender. */
export interface SenderSummary {
  readonly scope: string
  readonly version: string
  readonly steps: number
  readonly others: number
  readonly notUnderstood: number
  readonly withoutTokens: number
  readonly withoutPrice: number
  readonly withoutArguments: number
  readonly withoutText: number
  /** Most steps first. */
  readonly advice: readonly SenderAdvice[]
}

interface SenderAdvice {
  readonly kind: AdviceKind
  /** Of `price`, the model. */
  readonly attribute: string | null
  readonly count: number
}

interface SenderList {
  /** Most steps first. */
  readonly senders: readonly SenderSummary[]
  /** No sender and no step is left out. */
  readonly complete: boolean
}

export interface SenderUseCases {
  /** Of the last days, by current prices. */
  list(projectId: ProjectId): Promise<SenderList>
}

export interface SenderDependencies {
  readonly store: SenderCountStore
  readonly pricerOf: (projectId: ProjectId) => Promise<Pricer>
  readonly clock: Clock
}

const DAY_MS = 86_400_000

export function createSenders({ store, pricerOf, clock }: SenderDependencies): SenderUseCases {
  const kept = new KeptSenderCounts(store, clock)
  return {
    async list(projectId) {
      const now = clock.now()
      const span = { startTime: now - SENDER_DAYS * DAY_MS, endTime: now + 1 }
      const { counts, complete } = await kept.senderCounts(projectId, span)
      const price = await pricerOf(projectId)
      const isPriced = (model: string) => price(pricedName(model, ''), ONE_TOKEN) !== null
      const bySender = Map.groupBy(counts, ({ scope, version }) => JSON.stringify([scope, version]))
      const senders = [...bySender.values()]
        .map((own) => summaryOf(own, isPriced))
        .sort((a, b) => b.steps - a.steps || compare(a.scope, b.scope) || compare(a.version, b.version))
      return { senders: senders.slice(0, MOST_SENDERS), complete: complete && senders.length <= MOST_SENDERS }
    },
  }
}

const ONE_TOKEN = { input: 1, output: 0, cacheRead: 0, cacheWrite: 0 }

function summaryOf(counts: readonly SenderCount[], isPriced: (model: string) => boolean): SenderSummary {
  const [{ scope, version }] = counts as [SenderCount]
  const marked = counts.map(({ marks, model, steps }) => ({
    steps,
    found: marks.flatMap((mark) => toAdvice(mark, model, isPriced)),
    isOther: marks.some(({ kind }) => kind === 'other'),
  }))
  const having = (...kinds: readonly AdviceKind[]) =>
    sum(marked.filter(({ found }) => found.some(({ kind }) => kinds.includes(kind))))
  const advice = new Map<string, SenderAdvice>()
  for (const { steps, found } of marked) {
    for (const { kind, attribute } of found) {
      const key = JSON.stringify([kind, attribute])
      advice.set(key, { kind, attribute, count: (advice.get(key)?.count ?? 0) + steps })
    }
  }
  return {
    scope,
    version,
    steps: sum(marked),
    others: sum(marked.filter(({ isOther }) => isOther)),
    notUnderstood: having('type', 'content'),
    withoutTokens: having('tokens'),
    withoutPrice: having('price', 'model'),
    withoutArguments: having('arguments', 'result'),
    withoutText: having('text'),
    advice: [...advice.values()]
      .sort((a, b) => b.count - a.count || compare(a.kind, b.kind) || compare(a.attribute ?? '', b.attribute ?? ''))
      .slice(0, MOST_ADVICE),
  }
}

function toAdvice(
  { kind, attribute }: StepMark,
  model: string,
  isPriced: (model: string) => boolean,
): readonly Omit<SenderAdvice, 'count'>[] {
  if (kind === 'other') return []
  if (kind === 'billed') return isPriced(model) ? [] : [{ kind: 'price', attribute: model }]
  return [{ kind, attribute }]
}

function sum(groups: readonly { readonly steps: number }[]): number {
  return groups.reduce((all, { steps }) => all + steps, 0)
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0
}
