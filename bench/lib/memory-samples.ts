import { mean } from './percentile.ts'
import type { ServiceUnderTest } from './service.ts'

/** Resident memory of the service, read at a fixed pace until stopped. MB. */
export class MemorySamples {
  readonly values: number[] = []
  readonly #timer: NodeJS.Timeout

  constructor(service: ServiceUnderTest, everyMs: number) {
    this.values.push(service.rssMb())
    this.#timer = setInterval(() => this.values.push(service.rssMb()), everyMs)
  }

  stop(): void {
    clearInterval(this.#timer)
  }

  get first(): number {
    return this.values[0]!
  }

  get greatest(): number {
    return Math.max(...this.values)
  }

  /** Mean of the last quarter less that of the third: what is still added once everything is warm. */
  get growthOverSecondHalf(): number {
    const quarter = Math.max(1, Math.floor(this.values.length / 4))
    return mean(this.values.slice(-quarter)) - mean(this.values.slice(-2 * quarter, -quarter))
  }
}
