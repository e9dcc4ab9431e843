import { setTimeout as sleep } from 'node:timers/promises'
import type { Trace } from '@spoor/contract/schemas/traces/trace'
import type { Workload } from '../crash/workload.ts'
import { createProject } from '../lib/projects.ts'
import { exportOf, ROUNDS_OF_TRACE, SPANS, traceOf } from '../otlp/resend-after-kills.ts'

const PAUSE_MS = 400

type Sender = Pick<Workload, 'client' | 'ledger' | 'mayRefuse'> & Partial<Pick<Workload, 'killed'>>

/** Which of the two exports of some spans were acknowledged: that of their start, and that of their end. */
interface Sent {
  started: boolean
  ended: boolean
}

/** Exports of OTLP to a project of their own, and what was acknowledged of them. */
export class WatchedExports {
  #key: string | null = null
  readonly #sent: Sent[] = []
  count = 0

  /** Exports until the load ends. The first call needs space on the disk for the project. */
  async run(workload: Workload): Promise<void> {
    this.#key ??= (await createProject(workload.client, 'exports')).key
    while (!workload.killed()) {
      await sleep(workload.random.below(PAUSE_MS))
      const number = this.#sent.push({ started: false, ended: false }) - 1
      await this.#send(workload, number, false)
      await this.#send(workload, number, true)
    }
  }

  /** What was acknowledged must exist, each span once. Then everything else is sent again. */
  async verify(sender: Sender): Promise<void> {
    for (let first = 0; first < this.#sent.length; first += ROUNDS_OF_TRACE) await this.#verifyTrace(sender, first)
    for (const [number, { ended }] of this.#sent.entries()) if (!ended) await this.#send(sender, number, true)
  }

  get #headers(): Record<string, string> {
    return this.#key === null ? {} : { 'x-api-key': this.#key }
  }

  async #send({ client, ledger, killed, mayRefuse }: Sender, number: number, ended: boolean): Promise<void> {
    try {
      const { status, text } = await client.postTrace(exportOf(number, ended), this.#headers)
      const sent = this.#sent[number] as Sent
      if (status === 200 && text === '{}') {
        sent.started = true
        sent.ended ||= ended
        this.count += 1
        ledger.acknowledgedRequests += 1
      } else if (mayRefuse?.(status) !== true) {
        ledger.violate(`an export: ${status} ${text}`)
      }
    } catch (error) {
      if (killed?.() !== true) ledger.violate(`an export: no response although the service runs: ${String(error)}`)
    }
  }

  async #verifyTrace({ client, ledger }: Sender, first: number): Promise<void> {
    const answer = await client.get(`/v1/traces/${traceOf(first)}`, this.#headers)
    const steps = answer.status === 200 ? answer.json<Trace>().steps : []
    if (![200, 404].includes(answer.status)) ledger.violate(`exported spans: ${answer.status} ${answer.text}`)
    const byName = Map.groupBy(steps, ({ name }) => name)
    const sent = this.#sent.slice(first, first + ROUNDS_OF_TRACE)
    for (const [index, { started, ended }] of sent.entries()) {
      for (let at = 0; at < SPANS; at++) {
        const name = `call ${first + index}.${at}`
        const [step, ...others] = byName.get(name) ?? []
        byName.delete(name)
        if (others.length > 0) ledger.violate(`the span ${name} exists ${others.length + 1} times`)
        if (started && step === undefined) ledger.violate(`the span ${name} is lost`)
        if (ended && step !== undefined && (step.ended_at === null || step.token_usage?.input !== 7))
          ledger.violate(`the end of the span ${name} is lost`)
      }
    }
    for (const name of byName.keys()) ledger.violate(`the span ${name} was never sent`)
  }
}
