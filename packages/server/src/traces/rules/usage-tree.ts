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
  /** Steps below each other, below it. */
  height: number
  /** That of its step: tokens below it without a model have it. */
  model: string | null
  /** What its step says; null if it says nothing, or has not come. */
  own: Own | null
  /** The sum of what its children count. */
  below: Counts
  billBelow: Bill
}

interface Value {
  readonly counts: Counts
  readonly bill: Bill
}

/** What would stand deeper counts as a root, so that no change of one step takes long. */
const MOST_DEPTH = 100

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
  /** Whether a cost that a sender gave has covered tokens below it. */
  #covers = false
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

  /** Whether some step has usage that is counted on another one, or was once. */
  get overlaps(): boolean {
    return this.#covers || BILLED.some((kind, at) => this.#root.below[kind] !== this.#said[at])
  }

  /** Adds a step, or replaces it. The parent that it names may come later. */
  set(id: StepId, parentId: StepId | null, model: string | null, usage: StepUsage | null): void {
    const node = this.#node(id)
    const before = valueOf(node)
    const { parent: old } = node
    if (node.own !== null) this.#say(node.own.counts, -1)
    node.own = toOwn(model, usage, this.#contextLimit)
    node.model = model
    if (node.own !== null) this.#say(node.own.counts, 1)
    node.parent = this.#parentFor(node, parentId)
    const after = valueOf(node)
    if (before !== NO_VALUE) this.#change(old, before, -1)
    if (after !== NO_VALUE) this.#change(node.parent, after, 1)
    for (let at: Node | null = node; at !== null && !this.#covers; at = at.parent) this.#covers = isCovering(at)
  }

  /** Adds to what is below a step, and passes on what that changes above it. */
  #change(node: Node | null, { counts, bill }: Value, sign: 1 | -1): void {
    let delta: Value = { counts: sign === 1 ? counts : counts.map((count) => -count), bill: scaled(bill, sign) }
    for (let at = node; at !== null; at = at.parent) {
      const { own } = at
      const rest = own === null ? NO_BILL : restOf(at)
      at.below = at.below.map((count, kind) => count + (delta.counts[kind] as number))
      if (delta.bill.size > 0 && at.billBelow === NO_BILL) at.billBelow = new Map()
      addBill(at.billBelow, delta.bill, 1)
      if (at === this.#root) return
      const passed = passedOn(at, delta.bill)
      if (own === null) {
        delta = { counts: delta.counts, bill: passed }
        continue
      }
      const more = delta.counts
      addBill(passed, restOf(at), 1)
      addBill(passed, rest, -1)
      const greater = own.counts.map((count, kind) => {
        const after = at.below[kind] as number
        return Math.max(count, after) - Math.max(count, after - (more[kind] as number))
      })
      if (passed.size === 0 && greater.every((count) => count === 0)) return
      delta = { counts: greater, bill: passed }
    }
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
    let depth = node.height
    for (let above: Node | null = parent; above !== null; above = above.parent) {
      if (above === node || ++depth > MOST_DEPTH) return this.#root
    }
    let { height } = node
    for (let above: Node | null = parent; above !== null && above.height <= height; above = above.parent) {
      above.height = ++height
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
  return { parent, height: 0, model: null, own: null, below: NOTHING, billBelow: NO_BILL }
}

function toOwn(model: string | null, usage: StepUsage | null, contextLimit: ContextLimit): Own | null {
  const counts = usage === null ? NOTHING : toCounts(usage)
  if (usage === null || counts.every((count) => count === 0)) return null
  return { ...billingOf(model, usage, contextLimit), counts }
}

/** What a subtree counts. It may share memory with the node. */
function valueOf(node: Node): Value {
  const { own, below, billBelow } = node
  if (own === null && isNothing(below)) return NO_VALUE
  const bill = billBelow.size === 0 ? restOf(node) : passedOn(node, billBelow)
  if (own === null) return { counts: below, bill }
  if (billBelow.size > 0) addBill(bill, restOf(node), 1)
  return { counts: own.counts.map((count, kind) => Math.max(count, below[kind] as number)), bill }
}

function isNothing(counts: Counts): boolean {
  return counts.every((count) => count === 0)
}

function isCovering({ own, billBelow }: Node): boolean {
  if (own === null || own.counts[SENT] === 0) return false
  return [...billBelow.keys()].some((name) => modelOfPriced(name).rate !== 'sent')
}

/** What of a bill below a step counts above it. */
function passedOn({ own, model }: Node, bill: Bill): Bill {
  const passed: Bill = new Map()
  const isCovered = own !== null && own.counts[SENT] !== 0
  for (const [name, counts] of bill) {
    const priced = modelOfPriced(name)
    if (isCovered && priced.rate !== 'sent') continue
    add(passed, priced.model === '' ? pricedName(model ?? '', priced.rate) : name, counts)
  }
  return passed
}

/** What a step says beyond what is below it, as a bill. */
function restOf({ own, below, billBelow }: Node): Bill {
  const bill: Bill = new Map()
  if (own === null) return bill
  if (isNothing(below)) return billOfStep(own, own.counts)
  const left = own.counts.map((count, kind) => Math.max(0, count - (below[kind] as number)))
  if (own.counts[SENT] !== 0) {
    if (left[SENT] !== 0) charge(bill, own, left)
    return bill
  }
  const [input, output, cacheRead, cacheWrite] = left as [number, number, number, number]
  // Cached tokens that only this step tells of are among the input that is billed below it.
  const fullest = own.model !== null && input >= cacheRead + cacheWrite ? null : fullestOf(billBelow)
  if (fullest === null) charge(bill, own, left)
  else add(bill, fullest, [input, output, cacheRead, cacheWrite])
  return bill
}

/** The priced name with the most input, of equal ones the first by name. */
function fullestOf(bill: Bill): string | null {
  let most: readonly [name: string, input: number] | null = null
  for (const [name, counts] of bill) {
    const input = counts[INPUT] as number
    if (name === '' || input === 0 || modelOfPriced(name).rate === 'sent') continue
    if (most === null || input > most[1] || (input === most[1] && name < most[0])) most = [name, input]
  }
  return most?.[0] ?? null
}

function scaled(bill: Bill, sign: 1 | -1): Bill {
  const copy: Bill = new Map()
  addBill(copy, bill, sign)
  return copy
}
