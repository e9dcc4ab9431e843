/**
 * One part that the service needs. `detail` says why it cannot do its work, or what the operator should know although
 * it can; null for neither.
 */
export interface PartState {
  readonly name: string
  readonly ok: boolean
  readonly detail: string | null
}

/**
 * Whether requests should be sent here. Parts report their own state. The parts named in the constructor count as
 * starting until they report; any other part counts from its first report. Stopping cannot be undone.
 */
export class Readiness {
  readonly #parts = new Map<string, PartState>()
  #stopping = false

  constructor(parts: readonly string[] = []) {
    for (const name of parts) this.report(name, 'starting')
  }

  /** `problem` null: the part can do its work. */
  report(name: string, problem: string | null): void {
    this.#parts.set(name, { name, ok: problem === null, detail: problem })
  }

  /** The part can do its work, and the operator should know this. */
  note(name: string, detail: string): void {
    this.#parts.set(name, { name, ok: true, detail })
  }

  beginStop(): void {
    this.#stopping = true
  }

  get stopping(): boolean {
    return this.#stopping
  }

  get ready(): boolean {
    return this.parts().every((part) => part.ok)
  }

  parts(): readonly PartState[] {
    const parts = [...this.#parts.values()]
    return this.#stopping ? [...parts, { name: 'process', ok: false, detail: 'stopping' }] : parts
  }
}
