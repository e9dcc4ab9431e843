import type { Random } from '../lib/random.ts'
import { Service } from '../lib/service.ts'
import type { Ledger } from './ledger.ts'
import type { Verified } from './verify.ts'
import { WatchedDeliveries } from './watched-deliveries.ts'
import { type Load, WatchedLoad } from './watched-load.ts'

/** A service on one data directory, with a ledger of everything sent to it, over all its processes. */
export class WatchedStore implements AsyncDisposable {
  readonly service: Service
  readonly #deliveries: WatchedDeliveries
  readonly #watched: WatchedLoad
  /** Where the log of the current process begins. */
  #lifeBegins = 0

  private constructor(service: Service, deliveries: WatchedDeliveries, random: Random) {
    this.service = service
    this.#deliveries = deliveries
    this.#watched = new WatchedLoad(service, deliveries, random)
  }

  static async create(
    dataDir: string,
    random: Random,
    environment: Readonly<Record<string, string>> = {},
  ): Promise<WatchedStore> {
    const service = new Service({ dataDir, environment: { ...WatchedDeliveries.environment, ...environment } })
    return new WatchedStore(service, await WatchedDeliveries.start(service), random)
  }

  get ledger(): Ledger {
    return this.#watched.ledger
  }

  async start(): Promise<void> {
    await this.startWithoutWrites()
    await this.#watched.begin()
  }

  /** For a disk that may be full. Call `begin` once there is space. */
  async startWithoutWrites(): Promise<void> {
    this.#lifeBegins = this.service.log.length
    await this.service.start()
    await this.#watched.tail.connect(this.service)
  }

  /** What each process needs before anything is sent. */
  async begin(): Promise<void> {
    await this.#watched.begin()
  }

  /** Kills it at any moment, also during its start. */
  async kill(): Promise<void> {
    await this.service.kill()
    await this.#watched.tail.disconnect()
  }

  /** `mayFail` on a full disk: unsettled commits then stay in the log. */
  async stop({ mayFail = false } = {}): Promise<void> {
    const { code, signal } = await this.service.stop()
    if (code !== 0 && !mayFail) this.ledger.violate(`stopping ended with ${code ?? signal}`)
    await this.#watched.tail.disconnect()
  }

  /** Errors logged so far are no violations. */
  expectErrorsSoFar(): void {
    this.#lifeBegins = this.service.log.length
  }

  /** Uses every part of the service. `mayRefuse` says which statuses are allowed; after `expectEnd` all errors are. */
  load(mayRefuse: (status: number) => boolean = () => false): Load {
    return this.#watched.load(mayRefuse)
  }

  /**
   * Everything that was acknowledged must exist, and nothing else. Anything else is a violation in the ledger, also an
   * error in the log that is not one of `expectedErrors`.
   */
  async verify(expectedErrors: RegExp | null = null): Promise<Verified> {
    const verified = await this.#watched.verify()
    const log = this.service.log.slice(this.#lifeBegins).split('\n')
    const errors = log.filter((line) => /"level":"(error|fatal)"/.test(line))
    for (const line of errors) if (expectedErrors?.test(line) !== true) this.ledger.violate(line)
    return verified
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.service[Symbol.asyncDispose]()
    await this.#watched.tail.disconnect()
    await this.#deliveries[Symbol.asyncDispose]()
  }
}
