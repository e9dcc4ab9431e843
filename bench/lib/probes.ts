import type { ServiceUnderTest } from './service.ts'

const PROBE_EVERY_MS = 100

/** Requests health and metrics, each over a connection of its own. */
export class Probes {
  readonly timesMs: ReadonlyMap<string, number[]> = new Map([
    ['/healthz', []],
    ['/metrics', []],
  ])
  readonly #service: ServiceUnderTest
  #running = false
  #ended: Promise<unknown> = Promise.resolve()

  constructor(service: ServiceUnderTest) {
    this.#service = service
  }

  start(): void {
    this.#running = true
    this.#ended = Promise.all([...this.timesMs].map(([path, times]) => this.#probe(path, times)))
  }

  async stop(): Promise<void> {
    this.#running = false
    await this.#ended
  }

  async #probe(path: string, times: number[]): Promise<void> {
    while (this.#running) {
      const began = performance.now()
      await (await fetch(`${this.#service.origin}${path}`)).text()
      times.push(performance.now() - began)
      await new Promise((resolve) => setTimeout(resolve, PROBE_EVERY_MS))
    }
  }
}
