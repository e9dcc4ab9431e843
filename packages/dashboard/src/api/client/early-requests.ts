import { ofProject } from './current-project.ts'

type Ask = (
  path: string,
  options: { readonly credentials: 'same-origin'; readonly signal: AbortSignal },
) => Promise<Response>

/** Requests that are sent while the scripts that use their responses are still loading. */
export class EarlyRequests {
  readonly #ask: Ask
  readonly #underWay = new Map<string, { readonly answer: Promise<Response>; readonly abort: AbortController }>()

  constructor(ask: Ask) {
    this.#ask = ask
  }

  send(path: string): void {
    const abort = new AbortController()
    const answer = this.#ask(path, { credentials: 'same-origin', signal: abort.signal })
    // The caller that takes it handles the error; there may be no such caller.
    answer.catch(() => {})
    this.#underWay.set(path, { answer, abort })
  }

  /** The response to a GET of `path` that was sent early, once; null if there is none. Aborted by `signal`. */
  take(path: string, signal: AbortSignal | undefined): Promise<Response> | null {
    const early = this.#underWay.get(path)
    if (early === undefined) return null
    this.#underWay.delete(path)
    if (signal?.aborted === true) early.abort.abort(signal.reason)
    signal?.addEventListener('abort', () => early.abort.abort(signal.reason))
    return early.answer
  }

  /** Drops all early requests when nobody is signed in. The next session sends its own. */
  forget(): void {
    for (const { abort } of this.#underWay.values()) abort.abort()
    this.#underWay.clear()
  }
}

export const earlyRequests = new EarlyRequests((path, options) => fetch(ofProject(path), options))
