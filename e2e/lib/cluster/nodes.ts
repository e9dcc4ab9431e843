import { setTimeout as sleep } from 'node:timers/promises'
import { type Client, createClient } from '../client.ts'
import type { Random } from '../random.ts'
import { MAIN, Service, type ServiceOptions } from '../service.ts'

const TRY_AGAIN_MS = 20

/** Processes of one service, of which each request takes any that runs, as behind a load balancer. */
export class Nodes implements AsyncDisposable {
  readonly all: readonly Service[]
  readonly client: Client
  readonly key: string
  readonly #random: Random

  /** All with the same settings and key. With one node, a service of the embedded profile is one too. */
  constructor(count: number, random: Random, options: ServiceOptions = {}) {
    const first = new Service(options)
    this.key = first.key
    const environment = { ...options.environment, SPOOR_BOOTSTRAP_KEY: first.key }
    this.all = [first, ...Array.from({ length: count - 1 }, () => new Service({ environment }))]
    this.#random = random
    this.client = this.#clientFor(first.key)
  }

  /** Of any node that runs; of the first when none does. */
  get url(): string {
    const running = this.running()
    return (running.length === 0 ? this.all[0]! : this.#random.pick(running)).url
  }

  /** All that have started and not ended. */
  running(): readonly Service[] {
    return this.all.filter(({ isRunning }) => isRunning)
  }

  /** Starts those that do not run, with this program. */
  async start(program = MAIN): Promise<void> {
    await Promise.all(this.all.filter(({ isRunning }) => !isRunning).map((node) => node.start([], { program })))
  }

  #clientFor(key: string | null): Client {
    const byUrl = new Map<string, Client>()
    /** Waits while all nodes are down. */
    const any = async (): Promise<Client> => {
      while (this.running().length === 0) await sleep(TRY_AGAIN_MS)
      const { url } = this
      const client = byUrl.get(url) ?? createClient(url, key)
      byUrl.set(url, client)
      return client
    }
    const urlOfAny = () => this.url
    return {
      get url() {
        return urlOfAny()
      },
      key,
      call: async (call) => (await any()).call(call),
      get: async (path, headers) => (await any()).get(path, headers),
      postTrace: async (body, headers) => (await any()).postTrace(body, headers),
      append: async (traceId, lines, headers) => (await any()).append(traceId, lines, headers),
      as: (otherKey) => this.#clientFor(otherKey),
      close: () => {
        for (const client of byUrl.values()) client.close()
      },
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.client.close()
    await Promise.all(this.all.map((node) => node[Symbol.asyncDispose]()))
  }
}
