/** The methods of each path, to distinguish a wrong method from a wrong path. Only used if no route matched. */
export class AllowedMethods {
  readonly #routes = new Map<string, { readonly pattern: RegExp; readonly methods: Set<string> }>()

  /** In `url`, `:name` stands for one segment and a trailing `*` for any rest. */
  add(url: string, methods: readonly string[]): void {
    let route = this.#routes.get(url)
    if (route === undefined) {
      route = { pattern: toPattern(url), methods: new Set() }
      this.#routes.set(url, route)
    }
    for (const method of methods) route.methods.add(method)
  }

  /** Sorted; empty if the path does not exist. `path` has no query. */
  of(path: string): string[] {
    const methods = new Set<string>()
    for (const route of this.#routes.values()) {
      if (route.pattern.test(path)) for (const method of route.methods) methods.add(method)
    }
    return [...methods].toSorted()
  }
}

function toPattern(url: string): RegExp {
  const source = url
    .split('/')
    .map((segment) => {
      if (segment.startsWith(':')) return '[^/]+'
      return segment === '*' ? '.*' : segment.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
    })
    .join('/')
  return new RegExp(`^${source}$`)
}
