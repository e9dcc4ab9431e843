import { within } from './within.ts'

const TRIES = 3

/**
 * A browser that has opened a page. On a busy machine a browser may start but not open one within the limit: then
 * another is launched, at most three in all, and stderr says so.
 */
export async function launchUsable<B extends AsyncDisposable>(
  limitMs: number,
  launch: () => Promise<B>,
  openPage: (browser: B) => Promise<unknown>,
): Promise<B> {
  for (let tries = 1; ; tries++) {
    const browser = await launch()
    try {
      await within(limitMs, openPage(browser), 'the browser opened no page')
      return browser
    } catch (error) {
      console.error(`browser ${tries} of ${TRIES}: ${String(error)}`)
      // Not awaited: a browser that hangs takes long to close.
      void close(browser)
      if (tries === TRIES) throw error
    }
  }
}

async function close(browser: AsyncDisposable): Promise<void> {
  try {
    await browser[Symbol.asyncDispose]()
  } catch (error) {
    console.error(`the browser did not close: ${String(error)}`)
  }
}
