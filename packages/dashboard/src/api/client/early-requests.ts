import { ofProject } from './current-project.ts'

type Ask = (
  path: string,
  options: { readonly credentials: 'same-origin'; readonly signal: AbortSignal },
) => Promise<Response>

/** How long a response waits for its screen: after that its rows may be old. */
const KEPT_MS = 10_000

interface EarlyRequest {
  readonly answer: Promise<Response>
  readonly abort: AbortController
  /** Drops it. */
  readonly timer: ReturnType<typeof setTimeout>
}

/** Requests that are sent while the scripts that use their responses are still loading. */
export class EarlyRequests {
  readonly #ask: Ask
  readonly #underWay = new Map<string, EarlyRequest>()

  constructor(ask: Ask) {
    this.#ask = ask
  }

  send(path: string): void {
    const abort = new AbortController()
    const answer = this.#ask(path, { credentials: 'same-origin', signal: abort.signal })
    // The caller that takes it handles the error; there may be no such caller.
    answer.catch(() => {})
    this.#underWay.set(path, { answer, abort, timer: setTimeout(() => this.#drop(path), KEPT_MS) })
  }

  /**
   * The response to a GET of `path` that was sent early, once; null if there is none, or nobody took it for 10 s.
   * Aborted by `signal`.
   */
  take(path: string, signal: AbortSignal | undefined): Promise<Response> | null {
    const early = this.#remove(path)
    if (early === undefined) return null
    if (signal?.aborted === true) early.abort.abort(signal.reason)
    signal?.addEventListener('abort', () => early.abort.abort(signal.reason))
    return early.answer
  }

  /** Drops all early requests when a session begins or ends, or nobody is signed in. */
  forget(): void {
    for (const path of this.#underWay.keys()) this.#drop(path)
  }

  #drop(path: string): void {
    this.#remove(path)?.abort.abort()
  }

  #remove(path: string): EarlyRequest | undefined {
    const early = this.#underWay.get(path)
    this.#underWay.delete(path)
    clearTimeout(early?.timer)
    return early
  }
}

export const earlyRequests = new EarlyRequests((path, options) => fetch(ofProject(path), options))
