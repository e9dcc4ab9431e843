import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { eventually } from './eventually.ts'
import { launchUsable } from './launch-usable.ts'

/** The paths in Debian, and elsewhere. */
const PROGRAMS = ['/usr/bin/firefox-esr', '/usr/bin/firefox']

/** Pages are dark. Requests to other hosts than this one end at a closed port. */
const PREFERENCES = {
  'layout.css.prefers-color-scheme.content-override': 0,
  'network.proxy.type': 1,
  'network.proxy.http': '127.0.0.1',
  'network.proxy.http_port': 9,
  'network.proxy.ssl': '127.0.0.1',
  'network.proxy.ssl_port': 9,
}

/** It starts in four seconds, and in a quarter of a minute on a busy machine. */
const START_MS = 60_000

interface Reply {
  readonly type: 'success' | 'error' | 'event'
  readonly id?: number
  readonly result?: unknown
  readonly message?: string
  readonly method?: string
  readonly params?: { readonly level?: string; readonly text?: string }
}

interface Evaluated {
  readonly type: 'success' | 'exception'
  readonly result?: { readonly type: string; readonly value?: unknown; readonly sharedId?: string }
  readonly exceptionDetails?: { readonly text: string }
}

/**
 * One tab of a real Firefox in the dark theme, driven by WebDriver BiDi: the driver of the other tests has commands
 * that Firefox ESR does not know yet.
 */
export class Firefox {
  /** Script errors so far. */
  readonly problems: string[] = []
  readonly #process: ChildProcess
  readonly #ended: Promise<unknown>
  readonly #profile: string
  #socket: WebSocket | null = null
  readonly #waiting = new Map<number, (reply: Reply) => void>()
  #commands = 0
  #tab = ''
  #isLeaving = false

  private constructor(process: ChildProcess, profile: string) {
    this.#process = process
    this.#ended = once(process, 'exit')
    this.#profile = profile
  }

  /** If Firefox is not installed, the reason. In CI an error, because .ci/run installs it before. */
  static async launch(): Promise<Firefox | string> {
    const program = PROGRAMS.find((path) => existsSync(path))
    if (program === undefined) {
      const advice =
        'there is no Firefox to test with: scripts/testing/install-firefox.sh installs one (Debian; as root)'
      if (process.env['CI'] === 'true') throw new Error(advice)
      return advice
    }
    return launchUsable(
      START_MS,
      () => Firefox.#start(program),
      (firefox) => firefox.#begin(),
    )
  }

  static async #start(program: string): Promise<Firefox> {
    const profile = await mkdtemp(join(tmpdir(), 'spoor-firefox-'))
    const lines = Object.entries(PREFERENCES).map(([name, value]) => `user_pref("${name}", ${JSON.stringify(value)});`)
    await writeFile(join(profile, 'user.js'), lines.join('\n'))
    const flags = ['--headless', '--no-remote', '--profile', profile, '--remote-debugging-port', '0']
    const child = spawn(program, flags, { stdio: ['ignore', 'ignore', 'pipe'], env: { ...process.env, HOME: profile } })
    return new Firefox(child, profile)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#socket?.close()
    this.#process.kill('SIGKILL')
    await this.#ended
    await rm(this.#profile, { recursive: true, force: true, maxRetries: 5 })
  }

  async goto(url: string): Promise<void> {
    this.#isLeaving = true
    await this.#send('browsingContext.navigate', { context: this.#tab, url, wait: 'complete' })
    this.#isLeaving = false
  }

  async resize(width: number, height: number): Promise<void> {
    await this.#send('browsingContext.setViewport', { context: this.#tab, viewport: { width, height } })
  }

  /** The value of an expression: text, number, boolean or nothing. */
  async evaluate(expression: string): Promise<unknown> {
    return (await this.#evaluate(expression))?.value
  }

  /** Waits until an expression is true. */
  async until(expression: string): Promise<void> {
    await eventually(`in Firefox: ${expression}`, async () => (await this.evaluate(expression)) === true)
  }

  /** Waits until the page shows a text. */
  async shows(text: string): Promise<void> {
    await this.until(`document.body?.innerText.includes(${JSON.stringify(text)})`)
  }

  async press(key: string): Promise<void> {
    await this.#act({
      type: 'key',
      id: 'keys',
      actions: [
        { type: 'keyDown', value: key },
        { type: 'keyUp', value: key },
      ],
    })
  }

  /** Clicks the first element of a selector that has the text, as soon as there is one. */
  async click(selector: string, text: string): Promise<void> {
    const found = `[...document.querySelectorAll(${JSON.stringify(selector)})].find((each) => each.innerText.includes(${JSON.stringify(text)}))`
    await this.until(`${found} !== undefined`)
    const sharedId = (await this.#evaluate(found))?.sharedId
    const origin = { type: 'element', element: { sharedId } }
    await this.#act({
      type: 'pointer',
      id: 'mouse',
      actions: [
        { type: 'pointerMove', x: 0, y: 0, origin },
        { type: 'pointerDown', button: 0 },
        { type: 'pointerUp', button: 0 },
      ],
    })
  }

  async #begin(): Promise<void> {
    this.#socket = new WebSocket(`${await addressOf(this.#process)}/session`)
    this.#socket.addEventListener('message', ({ data }) => this.#receive(JSON.parse(String(data)) as Reply))
    await once(this.#socket, 'open')
    await this.#send('session.new', { capabilities: {} })
    await this.#send('session.subscribe', { events: ['log.entryAdded'] })
    const { context } = (await this.#send('browsingContext.create', { type: 'tab' })) as { context: string }
    this.#tab = context
  }

  async #evaluate(expression: string): Promise<Evaluated['result']> {
    const target = { context: this.#tab }
    const command = { expression, target, awaitPromise: true, resultOwnership: 'none' }
    const { result, exceptionDetails } = (await this.#send('script.evaluate', command)) as Evaluated
    if (exceptionDetails !== undefined) throw new Error(`${exceptionDetails.text} in ${expression}`)
    return result
  }

  async #act(source: object): Promise<void> {
    await this.#send('input.performActions', { context: this.#tab, actions: [source] })
  }

  #send(method: string, params: object): Promise<unknown> {
    const id = ++this.#commands
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, ({ type, result, message }) =>
        type === 'error' ? reject(new Error(`${method}: ${message}`)) : resolve(result),
      )
      this.#socket!.send(JSON.stringify({ id, method, params }))
    })
  }

  #receive(reply: Reply): void {
    if (reply.method === 'log.entryAdded' && reply.params?.level === 'error') {
      const text = reply.params.text ?? ''
      // A navigation breaks off what the page before still loads. A page that lacks a module does not show its text.
      if (!this.#isLeaving || !BROKEN_OFF.test(text)) this.problems.push(text)
    }
    if (reply.id === undefined) return
    this.#waiting.get(reply.id)?.(reply)
    this.#waiting.delete(reply.id)
  }
}

const BROKEN_OFF = /error loading dynamically imported module|Unable to preload CSS/

/** Firefox writes it once it listens. */
async function addressOf({ stderr }: ChildProcess): Promise<string> {
  const seen: string[] = []
  for await (const line of createInterface({ input: stderr! })) {
    const address = /WebDriver BiDi listening on (ws:\S+)/.exec(line)?.[1]
    if (address !== undefined) {
      stderr!.resume()
      return address
    }
    seen.push(line)
  }
  throw new Error(`Firefox ended: ${seen.join('\n')}`)
}
