import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { discover } from '../clusters/discoveries.ts'
import { topicTrace } from '../clusters/topic-traces.ts'
import { launchBrowser } from '../lib/browser.ts'
import { eventually } from '../lib/eventually.ts'
import { createRandom } from '../lib/random.ts'
import { Service } from '../lib/service.ts'
import { placeOf } from '../lib/place-of.ts'
import { CHANGING_TASKS } from './changing-tasks.ts'
import { details, Hands, row, type Task } from './hands.ts'
import { goWithin, openDashboard } from './lib.ts'

const browser = await launchBrowser('newest')
after(async () => typeof browser !== 'string' && (await browser.close()))

const SAID = (role: string, text: string) => ({ role, content: [{ type: 'text', text }] })
const BEGAN = Date.parse('2026-11-20T08:00:00.000Z')
const at = (ms: number) => new Date(BEGAN + ms).toISOString()

/** A dozen of each topic. */
const OF_TOPICS = 24
const FAILING_TOPIC = 2

/** Oldest first. The dearest run is neither the longest nor the newest. */
const RUNS = [
  { name: 'long log', steps: [{ name: 'read', messages: [SAID('tool', `${'a line '.repeat(142_000)} heliotrope`)] }] },
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
    metadata: { tenant: 'zeta' },
    started_at: at(0),
    ended_at: at(900_000),
    steps: [
      {
        name: 'search',
        type: 'tool',
        started_at: at(0),
        ended_at: at(900_000),
        messages: [
          {
            role: 'assistant',
            content: [{ type: 'tool_use', id: 'call-1', name: 'search', input: { city: 'Lisbon', nonstop: true } }],
          },
          { role: 'tool', content: [{ type: 'tool_result', tool_use_id: 'call-1', content: 'three flights' }] },
        ],
      },
    ],
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
  {
    name: 'computer use',
    metadata: { version: 'v2' },
    status: 'error',
    steps: [
      ...Array.from({ length: 14 }, () => ({ name: 'screenshot', type: 'tool' })),
      { name: 'think', messages: [SAID('assistant', 'It is the wrong page.')] },
    ],
  },
  { name: 'computer use', metadata: { version: 'v1' }, steps: [{ name: 'think' }] },
  { name: 'small talk', steps: [{ name: 'hello' }] },
]

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
    what: 'compare two runs',
    most: 3,
    run: async (hands, page) => {
      for (const name of ['refund', 'slow search'])
        await hands.click(page.getByRole('checkbox', { name: `Select ${name}` }).first())
      await hands.click(page.getByRole('button', { name: 'Compare' }))
      await page.getByRole('heading', { name: 'Compare traces', level: 1 }).waitFor()
      await page.getByText(/They differ at the first step/).waitFor()
    },
  },
  {
    what: 'keep the filters as a view',
    most: 5,
    run: async (hands, page) => {
      await hands.press('e')
      await hands.click(page.getByRole('button', { name: 'Views' }))
      await hands.click(page.getByRole('menuitem', { name: /Save/ }))
      await page.getByRole('dialog').getByLabel('Name').and(page.locator(':focus')).waitFor()
      await hands.type(page.getByRole('dialog').getByLabel('Name'), 'failures')
      await hands.press('Enter')
      await page.getByRole('heading', { name: 'failures', level: 1 }).waitFor()
    },
  },
  {
    what: 'find other runs with a value of one run',
    most: 2,
    run: async (hands, page) => {
      await hands.click(page.getByRole('button', { name: 'gpt-4o' }).first())
      await hands.click(page.getByRole('menuitem', { name: 'gpt-4o' }))
      await row(page, 'small talk').waitFor({ state: 'detached' })
      await row(page, 'dear report').waitFor()
    },
  },
  {
    what: 'show a key of the metadata as a column',
    most: 2,
    run: async (hands, page) => {
      await hands.click(page.getByRole('button', { name: 'Columns' }))
      await hands.click(page.getByRole('menuitemcheckbox', { name: 'tenant' }))
      await page.getByRole('columnheader', { name: 'tenant', includeHidden: true }).waitFor()
    },
  },
  {
    what: 'leave out the runs of a name',
    most: 5,
    run: async (hands, page) => {
      await hands.click(page.getByRole('button', { name: 'Add filter' }))
      for (const text of ['name is not', 'small talk']) {
        await hands.type(page.getByRole('combobox'), text)
        await hands.press('Enter')
      }
      await row(page, 'small talk').waitFor({ state: 'detached' })
      await row(page, 'refund').waitFor()
    },
  },
  {
    what: 'list the runs that failed by a type of error',
    most: 5,
    run: async (hands, page) => {
      await hands.click(page.getByRole('button', { name: 'Add filter' }))
      for (const text of ['error type', 'PaymentError']) {
        await hands.type(page.getByRole('combobox'), text)
        await hands.press('Enter')
      }
      await row(page, 'small talk').waitFor({ state: 'detached' })
      await row(page, 'refund').waitFor()
    },
  },
  {
    what: 'score a run',
    most: 4,
    run: async (hands, page, service) => {
      await hands.click(row(page, 'refund'))
      await page.getByRole('heading', { name: 'refund', level: 1 }).waitFor()
      await hands.press('m')
      const bar = page.getByRole('region', { name: 'Score' })
      await hands.choose(bar.getByRole('combobox', { name: 'Metric' }), 'solved')
      await page.locator('[aria-label=Score][aria-busy=false]').waitFor()
      await hands.press('2')
      await bar.getByText('1 scored').waitFor()
      // Loading the page again removes its keys.
      await page.goto(`${service.url}/app/traces`)
    },
  },
  {
    what: 'see which model costs most',
    most: 3,
    run: async (hands, page) => {
      await hands.click(page.getByRole('link', { name: 'Metrics' }))
      await hands.click(page.getByRole('link', { name: 'Cost' }))
      await hands.choose(page.getByLabel('Group by'), 'Model')
      const models = page.getByRole('listitem').filter({ hasText: /^gpt-4o/ })
      await models.first().waitFor()
      assert.match(await models.first().innerText(), /^gpt-4o\n\$2\.3/)
    },
  },
  {
    what: 'find the runs that called a tool with an argument',
    most: 3,
    run: async (hands, page) => {
      await hands.click(page.getByRole('button', { name: 'Add filter' }))
      await hands.type(page.getByRole('combobox'), 'tool=search argument.nonstop=true')
      await hands.press('Enter')
      await row(page, 'small talk').waitFor({ state: 'detached' })
      await row(page, 'slow search').waitFor()
    },
  },
  {
    what: 'find the runs that called a suggested tool with a suggested argument',
    most: 9,
    run: async (hands, page) => {
      for (const [field, ...offers] of [
        ['tool', 'search 1'],
        ['argument', 'nonstop 1', 'true 1'],
      ] as const) {
        await hands.click(page.getByRole('button', { name: 'Add filter' }))
        await hands.type(page.getByRole('combobox'), field)
        await hands.press('Enter')
        for (const name of offers) await hands.click(page.getByRole('option', { name }))
      }
      await row(page, 'small talk').waitFor({ state: 'detached' })
      await row(page, 'slow search').waitFor()
    },
  },
  {
    what: 'see the 95th percentile of the duration by type of step',
    most: 3,
    run: async (hands, page) => {
      await hands.click(page.getByRole('link', { name: 'Chart' }))
      await hands.click(page.getByRole('button', { name: 'Duration by step type' }))
      const tool = page.getByRole('region', { name: 'Groups' }).getByRole('row', { name: /tool/ })
      await tool.getByText('15 min').waitFor()
      await page.getByRole('columnheader', { name: '95th percentile' }).waitFor()
      // The slowest step comes first below.
      await page.getByRole('table', { name: 'Steps' }).getByRole('row').nth(1).getByText('search').first().waitFor()
    },
  },
  {
    what: 'see which user cost most this month',
    most: 2,
    run: async (hands, page) => {
      await hands.click(page.getByRole('link', { name: 'Chart' }))
      await hands.click(page.getByRole('button', { name: 'Cost by user' }))
      const groups = page.getByRole('region', { name: 'Groups' }).getByRole('row')
      await page.waitForURL(/range=30d/)
      // Three calls of 100 tokens in and 10 out.
      await groups.filter({ hasText: 'ana' }).getByText('$0.0010').waitFor()
    },
  },
  {
    what: 'list the slowest steps of all runs',
    most: 2,
    run: async (hands, page) => {
      await hands.click(page.getByRole('link', { name: 'Steps' }))
      const steps = page.getByRole('table', { name: 'Steps' })
      await hands.click(steps.getByRole('columnheader', { name: 'Duration' }).getByRole('button'))
      await steps.getByRole('row').nth(1).getByRole('link', { name: 'search' }).waitFor()
    },
  },
  {
    what: 'go from an alert on the start page to the runs that caused it',
    most: 1,
    run: async (hands, page) => {
      await goWithin(page, '/app/home')
      const alert = page.getByRole('region', { name: 'Fired monitors' }).getByRole('listitem')
      await hands.click(alert.filter({ hasText: 'Too many fail' }).getByRole('link', { name: 'View traces' }))
      await row(page, 'refund').waitFor()
      assert.equal(await row(page, 'small talk').count(), 0)
    },
  },
  {
    what: 'read the runs behind an alert on the page that its message links to',
    most: 1,
    run: async (hands, page, service) => {
      const { monitors } = (await service.client.get('/v1/monitors')).json<{ monitors: { id: string }[] }>()
      await goWithin(page, `/app/monitors/${monitors[0]?.id}`)
      const behind = page.getByRole('region', { name: 'Traces behind the latest breach' })
      await hands.click(behind.getByRole('link', { name: 'refund' }))
      await details(page).getByText('the card has expired').first().waitFor()
    },
  },
  {
    what: 'go from a fired monitor to the runs that caused it',
    most: 2,
    run: async (hands, page) => {
      await hands.click(page.getByRole('link', { name: 'Monitors 1 fired' }))
      await hands.click(page.getByRole('link', { name: 'View traces' }))
      await row(page, 'refund').waitFor()
      assert.equal(await row(page, 'small talk').count(), 0)
    },
  },
  {
    what: 'read a hit at the end of a long message',
    most: 2,
    run: async (hands, page) => {
      await hands.type(page.getByLabel('Search text, or paste an id'), 'heliotrope')
      await row(page, 'small talk').waitFor({ state: 'detached' })
      await hands.click(row(page, 'long log'))
      await eventually('the hit is marked', () =>
        page.evaluate("[...CSS.highlights.get('found') ?? []].join() === 'heliotrope'"),
      )
    },
  },
  {
    what: 'define a metric, and see at its field that its name is reserved',
    most: 6,
    run: async (hands, page) => {
      await hands.click(page.getByRole('link', { name: 'Metrics' }))
      await hands.click(page.getByRole('button', { name: 'New metric' }))
      const form = page.getByRole('dialog', { name: 'New metric' })
      await hands.type(form.getByLabel('Name'), 'events')
      await hands.press('Enter')
      await form.getByRole('alert').filter({ hasText: 'reserved' }).waitFor()
      await hands.type(form.getByLabel('Name'), 'polite')
      await hands.press('Enter')
      await page.getByRole('link', { name: 'polite' }).waitFor()
    },
  },
  {
    what: 'make a monitor after seeing when it would have fired',
    most: 5,
    run: async (hands, page) => {
      await hands.click(page.getByRole('link', { name: 'Monitors' }))
      await hands.click(page.getByRole('button', { name: 'New monitor' }))
      const form = page.getByRole('dialog', { name: 'New monitor' })
      await hands.type(form.getByLabel('Name'), 'All fail')
      await hands.type(form.getByLabel('Threshold', { exact: true }), '0.99')
      await form.getByText(/^Would |^No data/).waitFor()
      await hands.press('Enter')
      await page.getByRole('heading', { name: 'All fail', level: 1 }).waitFor()
    },
  },
  {
    what: 'go from the topic that fails most to its runs',
    most: 3,
    run: async (hands, page) => {
      await hands.click(page.getByRole('link', { name: 'Clusters' }))
      const table = page.getByRole('table', { name: 'Clusters of the last run' })
      await hands.click(
        table
          .getByRole('row')
          .filter({ hasText: 'high' })
          .getByRole('link', { name: /^View the traces/ }),
      )
      await page
        .getByRole('region', { name: 'Traces over time' })
        .getByText(/^[1-9]\d* failed$/)
        .waitFor()
    },
  },
  {
    what: 'see why a webhook fails',
    most: 3,
    run: async (hands, page) => {
      await hands.click(page.getByRole('link', { name: 'Webhooks' }))
      await hands.click(page.getByRole('link', { name: RECEIVER }))
      await hands.click(page.getByRole('link', { name: 'monitor.fired' }).first())
      await page.getByRole('dialog').getByText('refused').first().waitFor()
    },
  },
  {
    what: 'send a failed delivery again at once',
    most: 4,
    run: async (hands, page) => {
      await hands.click(page.getByRole('link', { name: 'Webhooks' }))
      await hands.click(page.getByRole('link', { name: RECEIVER }))
      await hands.click(page.getByRole('link', { name: 'monitor.fired' }).first())
      await hands.click(page.getByRole('dialog').getByRole('button', { name: 'Retry now' }))
      await page
        .getByText(/^The attempt failed: /)
        .first()
        .waitFor()
    },
  },
  {
    what: 'make a key',
    most: 4,
    run: async (hands, page) => {
      await hands.click(page.getByRole('link', { name: 'Settings' }))
      await hands.click(page.getByRole('button', { name: 'New key' }))
      await hands.type(page.getByRole('dialog').getByLabel('Name'), 'for the agent')
      await hands.press('Enter')
      const shown = page.getByRole('dialog').getByLabel('API key', { exact: true })
      await shown.waitFor()
      assert.match((await shown.textContent()) ?? '', /^spoor_/)
    },
  },
  {
    what: 'export what the list shows',
    most: 2,
    run: async (hands, page) => {
      await page.keyboard.press('e')
      await row(page, 'small talk').waitFor({ state: 'detached' })
      await hands.click(page.getByRole('button', { name: 'Export' }))
      const saved = page.waitForEvent('download')
      await hands.click(page.getByRole('menuitem', { name: 'JSON lines' }))
      const lines = (await readFile(await (await saved).path(), 'utf8')).trim().split('\n')
      const rows = lines.map((line) => JSON.parse(line) as { name?: string; status?: string; complete?: boolean })
      assert.deepEqual(rows.at(-1), { complete: true, rows: rows.length - 1 })
      assert.ok(rows.some(({ name }) => name === 'refund'))
      assert.ok(rows.slice(0, -1).every(({ status }) => status === 'error'))
    },
  },
  {
    what: 'save a chart as a table',
    most: 3,
    run: async (hands, page) => {
      await hands.press('3')
      await hands.click(page.getByRole('button', { name: 'Cost by model' }))
      await page.getByRole('region', { name: 'Groups' }).getByRole('button', { name: 'gpt-4o' }).waitFor()
      const saved = page.waitForEvent('download')
      await hands.click(page.getByRole('button', { name: 'Export the chart as CSV' }))
      assert.match(await readFile(await (await saved).path(), 'utf8'), /^at,gpt-4o,/)
    },
  },
  {
    what: 'copy a run up to its failing step as a test case',
    most: 3,
    run: async (hands, page) => {
      await hands.click(row(page, 'refund'))
      await details(page).getByText('the card has expired').first().waitFor()
      await hands.press('y')
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await hands.click(page.getByRole('menuitem', { name: 'Test case' }))
      await page.getByText('Copied the test case').first().waitFor()
      const copied = String(await page.evaluate('navigator.clipboard.readText()'))
      const { name, messages } = JSON.parse(copied) as { name: string; messages: readonly { content: string }[] }
      assert.equal(name, 'refund')
      assert.equal(messages[0]?.content, 'Refund my ticket to Lisbon')
    },
  },
  {
    what: 'do by name what a key does, and open a monitor by its name',
    most: 6,
    run: async (hands, page) => {
      await hands.press('Control+k')
      await hands.type(page.getByRole('combobox'), 'failed only')
      await hands.press('Enter')
      await row(page, 'small talk').waitFor({ state: 'detached' })
      await hands.press('Control+k')
      await hands.type(page.getByRole('combobox'), 'Too many')
      await page.getByRole('option', { name: 'Too many fail' }).waitFor()
      await hands.press('Enter')
      await page.getByRole('heading', { name: 'Too many fail', level: 1 }).waitFor()
    },
  },
  {
    what: 'see runs like this one, and hide the waterfall',
    most: 3,
    run: async (hands, page) => {
      await hands.click(row(page, 'refund'))
      await details(page).getByText('the card has expired').first().waitFor()
      const bar = page.getByRole('treeitem', { name: 'apologize' }).locator('> :last-child')
      await bar.waitFor()
      await hands.press('w')
      await bar.waitFor({ state: 'hidden' })
      await hands.press('.')
      await details(page).getByRole('heading', { name: 'Runs like this one' }).waitFor()
    },
  },
  {
    what: 'see which errors there are, and their runs',
    most: 2,
    run: async (hands, page) => {
      await hands.press('b')
      const errors = page.getByRole('region', { name: 'Error type' })
      await hands.click(errors.getByRole('button', { name: 'PaymentError 1' }))
      await row(page, 'small talk').waitFor({ state: 'detached' })
      await row(page, 'refund').waitFor()
    },
  },
]

/** They leave the project. */
const LAST_TASKS: readonly Task[] = [
  {
    what: 'sign in',
    most: 2,
    run: async (hands, page, service) => {
      await page.context().clearCookies()
      await page.goto(`${service.url}/app/traces`)
      await hands.type(page.getByLabel('API key', { exact: true }), service.key)
      await hands.press('Enter')
      await row(page, 'small talk').waitFor()
    },
  },
  {
    what: 'go to another project',
    most: 2,
    run: async (hands, page) => {
      await hands.click(page.getByRole('button', { name: /^Project/ }))
      await hands.click(page.getByRole('menuitemradio', { name: 'second' }))
      await page.getByRole('button', { name: 'Project second' }).waitFor()
    },
  },
]

/** Before the scoring bar is open, which has keys of its own. */
const FIRST_TASKS: readonly Task[] = [
  {
    what: 'see failures by type of error',
    most: 1,
    run: async (hands, page) => {
      await hands.click(page.getByRole('link', { name: 'Overview' }))
      const tile = page.getByRole('listitem').filter({ has: page.getByRole('heading', { name: 'Failures by type' }) })
      await tile.getByText('PaymentError').first().waitFor()
    },
  },
  {
    what: 'pin a chart to the start page',
    most: 4,
    run: async (hands, page) => {
      await hands.press('3')
      await hands.click(page.getByRole('button', { name: 'Errors by tool' }))
      await hands.press('P')
      await hands.click(page.getByRole('menuitem', { name: 'Overview' }))
      await page.getByText('Pinned to “Overview”').first().waitFor()
    },
  },
  {
    what: 'see which version fails more',
    most: 5,
    run: async (hands, page) => {
      await hands.press('3')
      await hands.choose(page.getByLabel('Measure'), 'Error rate')
      await hands.choose(page.getByLabel('Group by'), 'Metadata …')
      await hands.type(page.getByLabel('Metadata key, group by'), 'version')
      await hands.press('Enter')
      const groups = page.getByRole('region', { name: 'Groups' })
      const rate = async (version: string) => {
        const named = page.getByRole('button', { name: version, exact: true })
        return (await groups.getByRole('row').filter({ has: named }).getByRole('cell').allTextContents())[1]
      }
      await groups.getByRole('button', { name: 'v2', exact: true }).waitFor()
      assert.deepEqual([await rate('v1'), await rate('v2')], ['0%', '100%'])
    },
  },
  {
    what: 'compare a failed run with the last success of its name',
    most: 2,
    run: async (hands, page) => {
      await hands.click(row(page, 'computer use').nth(1))
      await page.getByRole('heading', { name: 'computer use', level: 1 }).waitFor()
      await hands.press('c')
      await page.getByRole('heading', { name: 'Compare traces', level: 1 }).waitFor()
    },
  },
  {
    what: 'open a row of repeated steps',
    most: 3,
    run: async (hands, page) => {
      await hands.click(row(page, 'computer use').nth(1))
      const steps = page.getByRole('tree', { name: 'Steps' }).getByRole('treeitem')
      const repeated = steps.filter({ hasText: 'screenshot×14' })
      await repeated.waitFor()
      assert.equal(await steps.count(), 2)
      await hands.click(repeated)
      await hands.press('l')
      await steps.nth(14).waitFor()
      // What no step has is no column.
      assert.equal(await page.getByText('Cost', { exact: true }).count(), 0)
    },
  },
  {
    what: 'read the arguments of a call beside its result',
    most: 2,
    run: async (hands, page) => {
      await hands.click(row(page, 'slow search'))
      const pane = details(page)
      await hands.click(page.getByRole('treeitem', { name: 'search' }))
      const [left, right] = [pane.getByText('Arguments', { exact: true }), pane.getByText('Result', { exact: true })]
      await right.waitFor()
      const [before, behind] = [await placeOf(left), await placeOf(right)]
      assert.equal(before.y, behind.y)
      assert.ok(before.x < behind.x)
    },
  },
  {
    what: 'copy a link to a step',
    most: 3,
    run: async (hands, page) => {
      await page.context().grantPermissions(['clipboard-read', 'clipboard-write'])
      await hands.click(row(page, 'refund'))
      await hands.click(page.getByRole('treeitem', { name: 'apologize' }))
      await hands.click(details(page).getByRole('button', { name: 'Copy link' }))
      await eventually('the link is copied', async () => {
        return /[?]step=st_/.test(String(await page.evaluate('navigator.clipboard.readText()')))
      })
    },
  },
  {
    what: 'put a failure of a topic beside the success that is most like it',
    most: 3,
    run: async (hands, page) => {
      await hands.click(page.getByRole('link', { name: 'Clusters' }))
      const table = page.getByRole('table', { name: 'Clusters of the last run' })
      await hands.click(table.getByRole('row').filter({ hasText: 'high' }).getByRole('link').first())
      await hands.click(page.getByRole('link', { name: 'Compare the newest with its nearest success' }))
      await page.getByRole('heading', { name: 'Compare traces', level: 1 }).waitFor()
    },
  },
  {
    what: 'see the keys of the screen',
    most: 1,
    run: async (hands, page) => {
      await hands.press('?')
      await page.getByRole('dialog', { name: 'Keyboard shortcuts' }).getByText('Pin to a dashboard').waitFor()
    },
  },
  {
    what: 'undo a deletion',
    most: 1,
    run: async (hands, page) => {
      // As a slip of the hand.
      await page.getByRole('checkbox', { name: 'Select dear report' }).first().click()
      await page.getByRole('region', { name: 'Selected traces' }).getByRole('button', { name: 'Delete' }).click()
      await row(page, 'dear report').waitFor({ state: 'detached' })
      await hands.click(page.getByRole('button', { name: 'Undo' }))
      await row(page, 'dear report').waitFor()
    },
  },
]

/** Nobody listens there. */
const RECEIVER = 'http://127.0.0.1:9/hook'

/** Runs, a metric, a monitor that fires, a webhook that fails and clusters. */
async function fill({ client }: Service): Promise<void> {
  const post = async <T>(path: string, body: object): Promise<T> => {
    const headers = { 'content-type': 'application/json' }
    const answer = await client.call({ method: 'POST', path, headers, body: JSON.stringify(body) })
    assert.ok(answer.status < 300, answer.text)
    return answer.json<T>()
  }
  const random = createRandom(1)
  for (let n = 0; n < OF_TOPICS; n++) {
    const topic = n % 2 === 0 ? FAILING_TOPIC : 1
    await post('/v1/traces', topicTrace(topic, random, topic === FAILING_TOPIC))
  }
  for (const run of RUNS) await post('/v1/traces', run)
  await post('/v1/metrics', { name: 'solved', kind: 'boolean' })
  await post('/v1/projects', { name: 'second' })
  const { projects } = (await client.get('/v1/projects')).json<{ projects: { id: string }[] }>()
  await post(`/v1/projects/${projects[0]?.id}/webhooks`, { url: RECEIVER, events: ['monitor.fired'] })
  const { id } = await post<{ id: string }>('/v1/monitors', {
    name: 'Too many fail',
    source: { kind: 'traces', measure: 'error_rate' },
    aggregation: 'avg',
    window_seconds: 3600,
    comparison: 'gt',
    threshold: 0.1,
  })
  await discover(client, { k_max: 3 })
  await eventually('the monitor has fired', async () => {
    return (await client.get(`/v1/monitors/${id}`)).json<{ state: string }>().state === 'fired'
  })
}

test('what a user does most takes few clicks and keys', async (context) => {
  if (typeof browser === 'string') return context.skip(browser)
  await using service = await Service.start({
    environment: { SPOOR_WEBHOOK_ALLOW: '127.0.0.1', SPOOR_MONITOR_INTERVAL_SECONDS: '1' },
  })
  await fill(service)
  const { page, problems } = await openDashboard(browser, service, '/app/traces')
  for (const { what, most, run } of [...FIRST_TASKS, ...TASKS, ...CHANGING_TASKS, ...LAST_TASKS]) {
    await context.test(what, async (task) => {
      await goWithin(page, '/app/traces')
      await row(page, 'small talk').waitFor()
      const hands = new Hands(page)
      await run(hands, page, service)
      task.diagnostic(`${hands.moves} of ${most}`)
      assert.ok(hands.moves <= most, `${hands.moves} clicks and keys`)
    })
  }
  assert.deepEqual(problems, [])
})
