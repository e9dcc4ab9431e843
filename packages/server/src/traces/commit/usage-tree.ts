import type { StepId } from '@spoor/contract/ids'
import { modelOfPriced, pricedName } from '../../ports/prices/price.ts'
import type { StepHead } from '../../ports/traces/step-record.ts'
import type { ModelUsage, StepUsage, TokenUsage } from '../../ports/traces/trace-record.ts'
import {
  add,
  addBill,
  type Bill,
  type Billing,
  billingOf,
  billOfStep,
  charge,
  type ContextLimit,
  type Counts,
  INPUT,
  NOTHING,
  OUTPUT,
  SENT,
  toCounts,
  tokensOf,
  usageOfBill,
} from '../../ports/prices/bill.ts'

interface Own extends Billing {
  readonly counts: Counts
}

interface Node {
  parent: Node | null
  /** What its step says; null if it says nothing, or has not come. */
  own: Own | null
  /** The sum of what its children count. */
  below: Counts
  readonly billBelow: Bill
}

interface Value {
  readonly counts: Counts
  readonly bill: Bill
}

/** A step that is deeper counts as a root, so that no change of one step takes long. */
const MOST_DEPTH = 1000

/**
 * What the steps of one trace used, each token once. Of each kind of token, a subtree counts the greater of what its
 * step says and the sum of the subtrees below it; the trace is the sum over its roots. So it does not matter whether a
 * framework, the library below it, or both tell about a call. A cost that a sender gives is such a kind, and covers the
 * tokens below it. Steps may come in any order, and be replaced.
 */
export class UsageTree {
  readonly #nodes = new Map<StepId, Node>()
  readonly #root = newNode(null)
  readonly #contextLimit: ContextLimit
  /** Of the billed kinds, the sum of what the steps say. */
  #said: Counts = [0, 0, 0]
  /** The version of the trace that it has been brought up to. */
  version: number

  constructor(contextLimit: ContextLimit, version: number) {
    this.#contextLimit = contextLimit
    this.version = version
  }

  /** How many steps it knows. */
  get size(): number {
    return this.#nodes.size
  }

  get tokens(): TokenUsage {
    return tokensOf(this.#root.below)
  }

  /** See TraceDigest. */
  get usage(): readonly ModelUsage[] | null {
    return usageOfBill(this.#root.billBelow)
  }

  /** Whether some step may have usage that is counted on another one. */
  get overlaps(): boolean {
    const [, , sent] = this.#said
    return sent !== 0 || BILLED.some((kind, at) => this.#root.below[kind] !== this.#said[at])
  }

  /** Adds a step, or replaces it. The parent that it names may come later. */
  set(id: StepId, parentId: StepId | null, model: string | null, usage: StepUsage | null): void {
    const node = this.#node(id)
    const before = valueOf(node)
    const { parent: old } = node
    if (node.own !== null) this.#say(node.own.counts, -1)
    node.own = toOwn(model, usage, this.#contextLimit)
    if (node.own !== null) this.#say(node.own.counts, 1)
    node.parent = this.#parentFor(node, parentId)
    const after = valueOf(node)
    if (before !== NO_VALUE) change(old, before, -1)
    if (after !== NO_VALUE) change(node.parent, after, 1)
  }

  #say(counts: Counts, sign: 1 | -1): void {
    this.#said = BILLED.map((kind, at) => (this.#said[at] as number) + sign * (counts[kind] as number))
  }

  #node(id: StepId): Node {
    let node = this.#nodes.get(id)
    if (node === undefined) this.#nodes.set(id, (node = newNode(this.#root)))
    return node
  }

  #parentFor(node: Node, id: StepId | null): Node {
    if (id === null) return this.#root
    const parent = this.#node(id)
    let depth = 0
    for (let above: Node | null = parent; above !== null; above = above.parent) {
      if (above === node || ++depth > MOST_DEPTH) return this.#root
    }
    return parent
  }

  addHeads(heads: readonly StepHead[]): void {
    for (const { id, parentStepId, parentInferred, model, tokenUsage } of heads) {
      this.set(id, parentInferred ? null : parentStepId, model, tokenUsage)
    }
  }

  /** Of steps whose own numbers are not counted, or not all of them, the step that they are counted on. */
  countedOn(): ReadonlyMap<StepId, StepId> {
    const idOf = new Map([...this.#nodes].map(([id, node]) => [node, id]))
    const counted = new Map<StepId, StepId>()
    for (const [id, { own, parent }] of this.#nodes) {
      let above = parent
      while (above !== null && above.own === null) above = above.parent
      if (own === null || above === null) continue
      const { counts } = above.own as Own
      const { below } = above
      const aboveId = idOf.get(above) as StepId
      if (BILLED.some((kind) => (counts[kind] as number) > 0 && (below[kind] as number) > 0)) {
        if (!counted.has(aboveId)) counted.set(aboveId, id)
      } else if ((counts[SENT] as number) > 0) counted.set(id, aboveId)
    }
    const last = (id: StepId): StepId => {
      const next = counted.get(id)
      return next === undefined ? id : last(next)
    }
    return new Map([...counted].map(([id, on]) => [id, last(on)]))
  }
}

const BILLED = [INPUT, OUTPUT, SENT]
const NO_BILL: Bill = new Map()
const NO_VALUE: Value = { counts: NOTHING, bill: NO_BILL }

function newNode(parent: Node | null): Node {
  return { parent, own: null, below: NOTHING, billBelow: new Map() }
}

function toOwn(model: string | null, usage: StepUsage | null, contextLimit: ContextLimit): Own | null {
  const counts = usage === null ? NOTHING : toCounts(usage)
  if (usage === null || counts.every((count) => count === 0)) return null
  return { ...billingOf(model, usage, contextLimit), counts }
}

/** Adds to what is below a step, and passes on what that changes above it. */
function change(node: Node | null, delta: Value, sign: 1 | -1): void {
  let { counts, bill } = delta
  let by = sign
  for (let at = node; at !== null; at = at.parent) {
    const before = at.own === null ? null : valueOf(at)
    at.below = at.below.map((count, kind) => count + by * (counts[kind] as number))
    addBill(at.billBelow, bill, by)
    if (before === null) continue
    const after = valueOf(at)
    counts = after.counts.map((count, kind) => count - (before.counts[kind] as number))
    const changed: Bill = new Map(after.bill)
    addBill(changed, before.bill, -1)
    bill = changed
    by = 1
    if (bill.size === 0 && counts.every((count) => count === 0)) return
  }
}

/** What a subtree counts. It may share memory with the node. */
function valueOf({ own, below, billBelow }: Node): Value {
  const isLeaf = below === NOTHING || below.every((count) => count === 0)
  if (own === null) return isLeaf ? NO_VALUE : { counts: below, bill: billBelow }
  if (isLeaf) return { counts: own.counts, bill: billOfStep(own, own.counts) }
  const counts = own.counts.map((count, kind) => Math.max(count, below[kind] as number))
  const left = counts.map((count, kind) => count - (below[kind] as number))
  const bill: Bill = new Map()
  for (const [name, tokens] of billBelow) {
    const { model, rate } = modelOfPriced(name)
    if (own.counts[SENT] === 0 || rate === 'sent') add(bill, pricedName(model || (own.model ?? ''), rate), tokens)
  }
  if (own.counts[SENT] === 0 || left[SENT] !== 0) charge(bill, billingOfRest(own, left, billBelow), left)
  return { counts, bill }
}

/**
 * Cached tokens that only this step tells of are among the input that is billed below it. Else what is left is its
 * own, if it names a model.
 */
function billingOfRest(own: Own, left: Counts, billBelow: Bill): Billing {
  const [input, , cacheRead, cacheWrite] = left as [number, number, number, number]
  if (own.model !== null && input >= cacheRead + cacheWrite) return own
  let most: readonly [string, Counts] | null = null
  for (const entry of billBelow) {
    if (entry[0] !== '' && (entry[1][INPUT] as number) > (most?.[1][INPUT] ?? 0)) most = entry
  }
  return most === null ? own : { ...own, model: modelOfPriced(most[0]).model || own.model }
}
