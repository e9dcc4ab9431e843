import assert from 'node:assert/strict'
import type { Browser, Page, Request } from 'playwright-core'
import type { Place } from './projects.ts'
import { within } from './within.ts'

interface Seen {
  /** Includes the query. */
  readonly path: string
  readonly range: string | null
  /** Null while there is no answer. */
  readonly status: number | null
}

/** A tab of a real browser that has signed in: its requests go directly to the service, with the session cookie. */
export class SignedInPage {
  readonly page: Page
  readonly #service: Pick<Place, 'url' | 'key'>
  readonly #seen: { path: string; range: string | null; status: number | null }[] = []
  #html: string | null = null

  private constructor(page: Page, service: Pick<Place, 'url' | 'key'>) {
    this.page = page
    this.#service = service
  }

  static async open(browser: Browser, service: Pick<Place, 'url' | 'key'>): Promise<SignedInPage> {
    const signedIn = new SignedInPage(await newPage(browser), service)
    await signedIn.#observe()
    await signedIn.signIn()
    return signedIn
  }

  /** Every request of the tab so far. */
  get seen(): readonly Seen[] {
    return this.#seen
  }

  /** The browser has the cookie, and no page has seen the key. */
  async signIn(): Promise<void> {
    const answer = await this.page
      .context()
      .request.post(`${this.#service.url}/v1/session`, { data: { key: this.#service.key } })
    assert.equal(answer.status(), 201)
  }

  /** Shows a page of the test with the origin of the service. */
  async show(html: string): Promise<void> {
    const page = `${this.#service.url}/page`
    // Only here, because a browser with request interception caches nothing.
    if (this.#html === null)
      await this.page.route(page, (route) =>
        route.fulfill({ contentType: 'text/html; charset=utf-8', body: this.#html ?? '' }),
      )
    this.#html = `<!doctype html><meta charset="utf-8"><title>test</title>${html}`
    await this.page.goto(page)
  }

  async #observe(): Promise<void> {
    const { page } = this
    const noted = new Map<Request, { status: number | null }>()
    page.on('request', (request) => {
      const { pathname, search } = new URL(request.url())
      const seen = { path: pathname + search, range: request.headers()['range'] ?? null, status: null }
      noted.set(request, seen)
      this.#seen.push(seen)
    })
    page.on('response', (response) => {
      const seen = noted.get(response.request())
      if (seen !== undefined) seen.status = response.status()
    })
  }
}

const LIMIT_MS = 60_000

/**
 * A new page, whose waits end after a minute. Opening one and evaluating in one have no limits of their own, so a test
 * would end without a word on where it waited: here each is an error, too.
 */
async function newPage(browser: Browser): Promise<Page> {
  const page = await within(LIMIT_MS, browser.newPage(), 'the browser opened no page')
  page.setDefaultTimeout(LIMIT_MS)
  const evaluate = page.evaluate.bind(page)
  const bounded = (expression: string, argument?: unknown) =>
    within(LIMIT_MS, evaluate(expression, argument), `the page did not evaluate ${String(expression).slice(0, 200)}`)
  return Object.assign(page, { evaluate: bounded as typeof page.evaluate })
}
