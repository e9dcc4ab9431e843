import { mean } from './percentile.ts'
import type { ServiceUnderTest } from './service.ts'

/** Resident memory of the service, MB, sampled at a fixed interval until stopped. */
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

  /** Mean of the last quarter minus that of the third: the growth after warming up. */
  get growthOverSecondHalf(): number {
    const quarter = Math.max(1, Math.floor(this.values.length / 4))
    return mean(this.values.slice(-quarter)) - mean(this.values.slice(-2 * quarter, -quarter))
  }
}
