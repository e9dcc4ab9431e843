import assert from 'node:assert/strict'
import type { Browser, Page, Request } from 'playwright-core'
import type { Service } from './service.ts'

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
  readonly #service: Service
  readonly #seen: { path: string; range: string | null; status: number | null }[] = []
  #html: string | null = null

  private constructor(page: Page, service: Service) {
    this.page = page
    this.#service = service
  }

  static async open(browser: Browser, service: Service): Promise<SignedInPage> {
    const signedIn = new SignedInPage(await browser.newPage(), service)
    await signedIn.#observe()
    await signedIn.signIn()
    return signedIn
  }

  /** Every request of the tab so far. */
  get seen(): readonly Seen[] {
    return this.#seen
  }

  /** Signs in from a page of the service, so that the key is discarded with the page. */
  async signIn(): Promise<void> {
    const { page } = this
    await page.goto(`${this.#service.url}/app`, { waitUntil: 'commit' })
    const status = await page.evaluate(async (key) => {
      const headers = { 'content-type': 'application/json' }
      const answer = await fetch('/v1/session', { method: 'POST', headers, body: JSON.stringify({ key }) })
      await answer.text()
      return answer.status
    }, this.#service.key)
    assert.equal(status, 201)
    assert.equal(await page.evaluate('document.cookie'), '', 'no script can read it')
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
