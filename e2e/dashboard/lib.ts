import { after, before, type TestContext } from 'node:test'
import type { Browser, Page } from 'playwright-core'
import { launchBrowser } from '../lib/browser.ts'
import { newPlace, type Place } from '../lib/projects.ts'
import { Service } from '../lib/service.ts'
import { SignedInPage } from '../lib/signed-in-page.ts'
import { goingTo } from './going-to.ts'

interface Dashboard {
  readonly page: Page
  /**
   * Script errors, policy violations and responses with status 5xx so far. Responses with status 4xx are left out,
   * because the page shows them to the user.
   */
  readonly problems: readonly string[]
}

interface Shared {
  readonly browser: Browser
  /** A new project of the service. */
  readonly service: Place
}

/** Monitors are evaluated and webhooks reach this machine, where a test has some. */
const ENVIRONMENT = { SPOOR_MONITOR_INTERVAL_SECONDS: '1', SPOOR_WEBHOOK_ALLOW: '127.0.0.0/8' }

let shared: ((context: TestContext) => Promise<Shared | null>) | undefined

/**
 * One browser and one service for all tests of a process. The returned function gives each test a project of its own,
 * or skips it and returns null if there is no browser.
 */
export function shareService(): (context: TestContext) => Promise<Shared | null> {
  return (shared ??= startShared())
}

function startShared(): (context: TestContext) => Promise<Shared | null> {
  const resources = new AsyncDisposableStack()
  let launched: Browser | string
  let service: Service
  before(async () => {
    launched = await launchBrowser()
    if (typeof launched === 'string') return
    resources.adopt(launched, (browser) => browser.close())
    service = resources.use(await Service.start({ environment: ENVIRONMENT }))
  })
  after(() => resources.disposeAsync())
  return async (context) => {
    const browser = launched
    if (typeof browser === 'string') {
      context.skip(browser)
      return null
    }
    context.after(() => closePages(browser))
    return { browser, service: await newPlace(service) }
  }
}

/** An open page continues to poll and draw. No other test may use the browser at the same time. */
async function closePages(browser: Browser): Promise<void> {
  for (const opened of browser.contexts()) {
    for (const page of opened.pages()) await page.unrouteAll({ behavior: 'ignoreErrors' })
    await opened.close()
  }
}

/** A signed-in tab at a path of the dashboard. */
export async function openDashboard(browser: Browser, service: Place, path: string): Promise<Dashboard> {
  const { page } = await SignedInPage.open(browser, service)
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    if (message.type() !== 'error' || message.text().startsWith('Failed to load resource: the server responded')) return
    problems.push(`${message.text()} ${message.location().url}`.trim())
  })
  page.on('response', (response) => {
    if (response.status() < 500) return
    const logged = service.log.split('\n').filter((line) => line.includes('"level":"error"'))
    problems.push([`${response.status()} for ${response.url()}; the service logged:`, ...logged.slice(-3)].join('\n'))
  })
  await page.goto(service.url + path)
  return { page, problems }
}

/**
 * Goes to another screen, where no text, dialog or menu of the one before is left. To load the page again takes most of
 * a second of processor time.
 */
export async function goWithin(page: Page, path: string): Promise<void> {
  // Without anything open, Escape leaves some screens for another, perhaps after the next line.
  if ((await page.locator('[role=dialog], [role=menu]').count()) > 0) await page.keyboard.press('Escape')
  await page.evaluate(goingTo('/app/nowhere'))
  await page.getByText('This page does not exist').waitFor()
  await page.locator('[role=dialog], [role=menu]').first().waitFor({ state: 'detached' })
  await page.evaluate(goingTo(path))
}

/** Waits until nothing loads and no transition runs: while a list is replaced, its rows are dim. */
export async function settled(page: Page): Promise<void> {
  await page.locator('[aria-busy=true]').first().waitFor({ state: 'detached' })
  await page.evaluate(
    'Promise.allSettled(document.getAnimations().filter((each) => each instanceof CSSTransition).map((each) => each.finished)).then(() => undefined)',
  )
}
