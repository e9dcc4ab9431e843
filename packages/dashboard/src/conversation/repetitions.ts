import type { Step } from '@spoor/contract/schemas/traces/step'

/** The newest steps with the same first message that are compared with the next one. */
const MOST_BEGINNINGS = 20
/** The nearest steps around one that are compared with it. */
const MOST_AROUND = 20

/** Where a step began to say something that continues nothing before it. */
interface Beginning {
  /** Its first message in the order of all. */
  readonly at: number
  /** How many messages the step had. */
  readonly length: number
}

interface Said {
  readonly stepId: string
  /** Its messages: equal for the same words of the same role. At least one. */
  readonly keys: readonly string[]
  /** It failed before the model answered. */
  readonly unanswered: boolean
  /** A person speaks again after the first message. */
  readonly asksAgain: boolean
}

interface Repetition {
  /** By message. */
  readonly isNew: readonly boolean[]
  /** What the step begins or continues. */
  readonly thread: object | null
}

/**
 * Tells what a step repeats from what is said again. A message is a repetition only if
 * - the step goes on after it: its last message is new, as in a growing history; or
 * - a step around this one has the same message; each of its messages has one copy; or
 * - the step is a retry of one that failed without an answer.
 */
export class Repetitions {
  /** The messages so far, in order. */
  readonly #said: string[] = []
  /** By their first message. */
  readonly #beginnings = new Map<string, Beginning[]>()
  // Of the current trace:
  #begins = 0
  #parents: ReadonlyMap<string, string | null> = new Map()
  /** By step: its messages; undefined once a step inside had a copy. */
  readonly #own = new Map<string, (string | undefined)[]>()
  readonly #unanswered = new Set<string>()

  beginTrace(steps: readonly Pick<Step, 'id' | 'parent_step_id' | 'parent_inferred'>[]): void {
    this.#begins = this.#said.length
    this.#parents = new Map(steps.map((step) => [step.id, step.parent_inferred ? null : step.parent_step_id]))
    this.#own.clear()
    this.#unanswered.clear()
  }

  /** The steps that repeat nothing but messages of steps inside of them: these say each in its time. */
  wrappers(spoken: ReadonlyMap<string, readonly string[]>): ReadonlySet<string> {
    const inside = new Map<string, Set<string>>()
    for (const [id, keys] of spoken) {
      for (const around of this.#around(id)) {
        const known = inside.get(around) ?? new Set()
        for (const key of keys) known.add(key)
        inside.set(around, known)
      }
    }
    const isWrapper = ([id, keys]: [string, readonly string[]]) => keys.every((key) => inside.get(id)?.has(key))
    return new Set([...spoken].filter(isWrapper).map(([id]) => id))
  }

  next(said: Said): Repetition {
    const { keys, unanswered } = said
    const first = keys[0]!
    const copied = this.#copiedIn(said)
    const all = JSON.stringify(keys)
    const isRetry = this.#unanswered.has(all)
    if (unanswered) this.#unanswered.add(all)
    const beginnings = this.#beginnings.get(first) ?? []
    const continued = isRetry ? null : this.#continuedBy(said, beginnings)
    const repeated = isRetry ? keys.length : (continued?.count ?? 0)
    let thread = continued?.beginning ?? null
    if (repeated === 0 && !copied.has(0)) {
      thread = { at: this.#said.length, length: keys.length }
      this.#beginnings.set(first, [...beginnings.slice(1 - MOST_BEGINNINGS), thread])
    }
    const isNew = keys.map((_, index) => index >= repeated && !copied.has(index))
    this.#said.push(...keys.filter((_, index) => isNew[index]))
    return { isNew, thread }
  }

  /** The beginning whose messages this step repeats most of, in the same trace if there is one. */
  #continuedBy(
    { keys, asksAgain }: Said,
    beginnings: readonly Beginning[],
  ): { readonly beginning: Beginning; readonly count: number } | null {
    const found = beginnings.flatMap((beginning) => {
      const count = this.#matching(keys, beginning.at)
      const isHere = beginning.at >= this.#begins
      // The same first message alone is no repetition: people say "yes" twice.
      const isEnough = count > 1 || (beginning.length === 1 && (isHere || asksAgain))
      // In another trace, a history that does not grow is the same question with another answer.
      const grows = count < keys.length && (isHere || keys.length > beginning.length)
      return isEnough && grows ? [{ beginning, count, isHere }] : []
    })
    const here = found.filter(({ isHere }) => isHere)
    return (here.length > 0 ? here : found).toSorted((a, b) => b.count - a.count)[0] ?? null
  }

  /** How many of these messages were said since a beginning, in this order. */
  #matching(keys: readonly string[], at: number): number {
    let count = 0
    for (let next = at; count < keys.length; count++) {
      const found = this.#said.indexOf(keys[count]!, next)
      if (found === -1) break
      next = found + 1
    }
    return count
  }

  /** The messages that the step has in common with steps around it. */
  #copiedIn({ stepId, keys }: Said): ReadonlySet<number> {
    this.#own.set(stepId, [...keys])
    const copied = new Set<number>()
    for (const around of this.#around(stepId)) {
      const other = this.#own.get(around) ?? []
      let next = 0
      for (const [index, key] of keys.entries()) {
        const found = copied.has(index) ? -1 : other.indexOf(key, next)
        if (found === -1) continue
        copied.add(index)
        other[found] = undefined
        next = found + 1
      }
    }
    return copied
  }

  /** The nearest steps around one. */
  #around(stepId: string): readonly string[] {
    const around: string[] = []
    for (let id = this.#parents.get(stepId); typeof id === 'string' && around.length < MOST_AROUND;) {
      around.push(id)
      id = this.#parents.get(id)
    }
    return around
  }
}
