/** Those who hear of a change. */
export class Listeners {
  readonly #all = new Set<() => void>()

  /** As `useSyncExternalStore` takes it. */
  readonly subscribe = (listener: () => void): (() => void) => {
    this.#all.add(listener)
    return () => this.#all.delete(listener)
  }

  tell(): void {
    for (const listener of this.#all) listener()
  }
}
