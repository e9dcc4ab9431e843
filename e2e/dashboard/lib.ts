import type { Browser, Page } from 'playwright-core'
import type { Service } from '../lib/service.ts'
import { SignedInPage } from '../lib/signed-in-page.ts'

interface Dashboard {
  readonly page: Page
  /** Errors of scripts and what the page's policy refused, so far. Refusals of the service are none: they are shown to the user. */
  readonly problems: readonly string[]
}

/** A tab that is signed in, at a path of the dashboard. */
export async function openDashboard(browser: Browser, service: Service, path: string): Promise<Dashboard> {
  const { page } = await SignedInPage.open(browser, service)
  const problems: string[] = []
  page.on('pageerror', (error) => problems.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' && !/^Failed to load resource: .* status of 4\d\d/.test(message.text()))
      problems.push(message.text())
  })
  await page.goto(service.url + path)
  return { page, problems }
}
