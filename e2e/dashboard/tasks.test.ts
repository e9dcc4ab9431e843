import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import type { Locator, Page } from 'playwright-core'
import { launchBrowser } from '../lib/browser.ts'
import { Service } from '../lib/service.ts'
import { openDashboard } from './lib.ts'

const browser = await launchBrowser()
after(async () => typeof browser !== 'string' && (await browser.close()))

/** Counts clicks and key presses. Typing or pasting one text counts once. */
class Hands {
  readonly page: Page
  moves = 0

  constructor(page: Page) {
    this.page = page
  }

  async click(target: Locator): Promise<void> {
    this.moves++
    await target.click()
  }

  async press(key: string): Promise<void> {
    this.moves++
    await this.page.keyboard.press(key)
  }

  async type(target: Locator, text: string): Promise<void> {
    this.moves++
    await target.fill(text)
  }
}

interface Task {
  readonly what: string
  /** Clicks and keys, from the list of traces. */
  readonly most: number
  run(hands: Hands, page: Page): Promise<void>
}

const SAID = (role: string, text: string) => ({ role, content: [{ type: 'text', text }] })
const BEGAN = Date.parse('2026-11-20T08:00:00.000Z')
const at = (ms: number) => new Date(BEGAN + ms).toISOString()

/** Oldest first. The dearest run is neither the longest nor the newest. */
const RUNS = [
  ...['Where is my bag?', 'It is a blue one.', 'Thank you!'].map((question, turn) => ({
    name: 'baggage chat',
    session_id: 'chat-7',
    user_id: 'ana',
    steps: [
      {
        name: 'answer',
        type: 'llm',
        model: 'gpt-4o',
        token_usage: { input: 100, output: 10 },
        messages: [SAID('user', question), SAID('assistant', `answer ${turn}`)],
      },
    ],
  })),
  {
    name: 'dear report',
    metadata: { tenant: 'acme' },
    steps: [{ name: 'write', type: 'llm', model: 'gpt-4o', token_usage: { input: 900_000, output: 9000 } }],
  },
  {
    name: 'slow search',
    started_at: at(0),
    ended_at: at(900_000),
    steps: [{ name: 'search', started_at: at(0), ended_at: at(900_000) }],
  },
  {
    name: 'refund',
    user_id: 'ana',
    steps: [
      { name: 'plan', messages: [SAID('user', 'Refund my ticket to Lisbon')] },
      {
        name: 'pay back',
        type: 'tool',
        status: 'error',
        error: { type: 'PaymentError', message: 'the card has expired' },
      },
      { name: 'apologize', messages: [SAID('assistant', 'I could not pay it back, because of the purple card.')] },
    ],
  },
  { name: 'small talk', steps: [{ name: 'hello' }] },
]

const row = (page: Page, name: string) => page.getByRole('table', { name: 'Traces' }).getByRole('link', { name })
const details = (page: Page) => page.getByRole('complementary', { name: 'Details' })

const TASKS: readonly Task[] = [
  {
    what: 'understand the newest failure',
    most: 3,
    run: async (hands, page) => {
      await hands.click(page.getByRole('table', { name: 'Traces' }).getByRole('link', { name: 'refund' }))
      await details(page).getByText('the card has expired').first().waitFor()
    },
  },
  {
    what: 'list the failures only',
    most: 1,
    run: async (hands, page) => {
      await hands.press('e')
      await row(page, 'small talk').waitFor({ state: 'detached' })
      await row(page, 'refund').waitFor()
    },
  },
  {
    what: 'read a session as a conversation',
    most: 2,
    run: async (hands, page) => {
      await hands.click(page.getByRole('link', { name: 'Sessions' }))
      await hands.click(page.getByRole('link', { name: 'chat-7' }))
      for (const text of ['Where is my bag?', 'It is a blue one.', 'answer 2'])
        await page.getByText(text).first().waitFor()
    },
  },
  {
    what: 'go from a phrase to its step',
    most: 2,
    run: async (hands, page) => {
      await hands.type(page.getByLabel('Search text, or paste an id'), 'purple card')
      await row(page, 'small talk').waitFor({ state: 'detached' })
      await hands.click(row(page, 'refund'))
      await page.waitForURL(/[?&]q=purple/)
      await details(page).getByText('because of the purple card').waitFor()
    },
  },
  {
    what: 'find an error by its message',
    most: 1,
    run: async (hands, page) => {
      await hands.type(page.getByLabel('Search text, or paste an id'), 'expired')
      await row(page, 'small talk').waitFor({ state: 'detached' })
      await row(page, 'refund').waitFor()
    },
  },
  {
    what: 'open a pasted id',
    most: 2,
    run: async (hands, page) => {
      const id = await row(page, 'slow search').getAttribute('href')
      await hands.type(page.getByLabel('Search text, or paste an id'), id?.split('/').at(-1) ?? '')
      await hands.press('Enter')
      await page.getByRole('heading', { name: 'slow search', level: 1 }).waitFor()
    },
  },
  {
    what: 'open the slowest run',
    most: 2,
    run: async (hands, page) => {
      await hands.click(page.getByRole('columnheader', { name: 'Duration' }).getByRole('button'))
      await page.waitForURL(/sort=duration_ms/)
      const first = page.getByRole('table', { name: 'Traces' }).getByRole('row').nth(1)
      await first.getByRole('link', { name: 'slow search' }).waitFor()
      await hands.click(first.getByRole('link', { name: 'slow search' }))
      await page.getByRole('heading', { name: 'slow search', level: 1 }).waitFor()
    },
  },
  {
    what: 'open the dearest run',
    most: 2,
    run: async (hands, page) => {
      await hands.click(page.getByRole('columnheader', { name: 'Cost' }).getByRole('button'))
      await page.waitForURL(/sort=cost_usd/)
      const first = page.getByRole('table', { name: 'Traces' }).getByRole('row').nth(1)
      await first.getByRole('link', { name: 'dear report' }).waitFor()
      await hands.click(first.getByRole('link', { name: 'dear report' }))
      await page.getByRole('heading', { name: 'dear report', level: 1 }).waitFor()
    },
  },
  {
    what: 'read a run as a conversation',
    most: 2,
    run: async (hands, page) => {
      await hands.click(row(page, 'refund'))
      await page.getByRole('heading', { name: 'refund', level: 1 }).waitFor()
      await hands.press('2')
      await page.getByText('Refund my ticket to Lisbon').first().waitFor()
    },
  },
  {
    what: 'go on to the next run and back to the list',
    most: 3,
    run: async (hands, page) => {
      await hands.click(row(page, 'refund'))
      await page.getByRole('heading', { name: 'refund', level: 1 }).waitFor()
      await hands.press(']')
      await page.getByRole('heading', { name: 'slow search', level: 1 }).waitFor()
      await hands.press('Escape')
      await page.getByRole('heading', { name: 'Traces', level: 1 }).waitFor()
    },
  },
  {
    what: 'see what a user cost and what failed for them',
    most: 3,
    run: async (hands, page) => {
      await hands.click(page.getByRole('link', { name: 'Sessions' }))
      await hands.click(page.getByRole('link', { name: 'By user' }))
      await hands.click(page.getByRole('link', { name: 'ana' }))
      await page.getByText('Failed traces').first().waitFor()
    },
  },
  {
    what: 'flag two runs',
    most: 5,
    run: async (hands, page) => {
      for (const key of ['j', 's', 'j', 's']) await hands.press(key)
      await hands.click(page.getByRole('region', { name: 'Selected traces' }).getByRole('button', { name: 'Flag' }))
      await page.getByText('2 traces flagged').first().waitFor()
    },
  },
  {
    what: 'keep the filters as a view',
    most: 5,
    run: async (hands, page) => {
      await hands.press('e')
      await hands.click(page.getByRole('button', { name: 'Views' }))
      await hands.click(page.getByRole('menuitem', { name: /Save/ }))
      await hands.type(page.getByRole('dialog').getByLabel('Name'), 'failures')
      await hands.press('Enter')
      await page.getByRole('heading', { name: 'failures', level: 1 }).waitFor()
    },
  },
]

test('what a user does most takes few clicks and keys', async (context) => {
  if (typeof browser === 'string') return context.skip(browser)
  await using service = await Service.start()
  for (const run of RUNS) assert.equal((await service.client.postTrace(run)).status, 202)
  const { page, problems } = await openDashboard(browser, service, '/app/traces')
  for (const { what, most, run } of TASKS) {
    await context.test(what, async (task) => {
      await page.goto(`${service.url}/app/traces`)
      await row(page, 'small talk').waitFor()
      const hands = new Hands(page)
      await run(hands, page)
      task.diagnostic(`${hands.moves} of ${most}`)
      assert.ok(hands.moves <= most, `${hands.moves} clicks and keys`)
    })
  }
  assert.deepEqual(problems, [])
})
