import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Checkout } from './checkout.ts'
import { type Page, readPages, ROOT } from './pages.ts'
import { type Followed, ReaderShell } from './reader-shell.ts'

const RECEIVER_PORT = 8080

/**
 * Blocks that run until Ctrl-C, with the output that shows they have begun and, if that is later, that they have
 * worked.
 */
const FOLLOWED = [
  { command: /tail"/, begun: /^id: \d/m, worked: /^event: trace\.committed$/m },
  { command: /npm run demo/, begun: /^\S/m, worked: /\S/ },
  { command: /node receiver\.ts/, begun: /waiting for events/, worked: /^ping evt_/m },
] as const
const STARTS_SERVICE = /^(SPOOR_\w+=\S+ )?npm start|^node .*spoor\.mjs serve/m
/** The text above the block says to stop the service first. */
const NEEDS_STOP = /^tar -czf/m

/** The output of a page's commands when they work. Errors of any kind are detected on every page. */
const SHOWN: Readonly<Record<string, readonly RegExp[]>> = {
  'README.md': [
    /"id":"tr_[^]*"step_ids":\["st_/,
    /"traces":\[{"id":"tr_/,
    /ok: true/,
    /stored=2, refused=0/,
    /"status":"created"/,
  ],
  'docs/guide/appending-steps.md': [/"status":"created"/, /There is no field `typo`/, /"status":"duplicate"/],
  'docs/guide/changing-traces.md': [
    /"state":"flagged"/,
    /^204$/m,
    /"count":0/,
    /"kind":"traces.delete"/,
    /"kind":"user.delete"/,
  ],
  'docs/guide/client-typescript.md': [/^book a flight 1$/m],
  'docs/guide/clusters.md': [/24 .*committed|committed .*24/, /"id":"job_/, /"clusters":\[/, /"automatic_label":"/],
  'docs/guide/import.md': [/3 .*committed|committed .*3/],
  'docs/guide/media.md': [/"uri":"media:/, /step 2 failed/, /^failed$/m],
  'docs/guide/metrics.md': [/"passed":true/, /"pass_rate"/],
  'docs/guide/monitors.md': [/"threshold":0\.3/, /"transitions":\[/],
  'docs/guide/connect.md': [/LangChain/, /OTEL_EXPORTER_OTLP_ENDPOINT="http/],
  'docs/guide/senders.md': [/"scope":"api"/, /"share_other"/],
  'docs/guide/prices.md': [/"effective_date"/, /"our\/model-7b"/],
  'docs/guide/projects-and-keys.md': [
    /shown only now/,
    /support bot/,
    /"requests_per_second":50/,
    /"action":"key.created"/,
  ],
  'docs/guide/reading-traces.md': [/"value":"prod"/, /"next_cursor"/, /"reason":/, /{"traces":\[/],
  'docs/guide/recorder-python.md': [/stored=4, refused=0/, /On its way\./],
  'docs/guide/sessions-and-users.md': [/"trace_count":2/, /"session_count":1/],
  'docs/guide/sending-traces.md': [/"id":"tr_/],
  'docs/guide/webhooks.md': [/"deliveries":\[/, /"secret":/],
  'docs/operate/backup-and-restore.md': [/^Backup 1 \(full\)/m, /is whole: \d+ traces/, /"traces":\[{"id":"tr_/],
  'docs/operate/damage-and-loss.md': [/Everything is there and whole/],
  'docs/operate/health-and-metrics.md': [/"status":"ok"|"ok"/, /^spoor_build_info/m],
}

const checkout = new Checkout()
const left = gitStatus()
/**
 * One service for all pages. A block that starts a service replaces it, on the same data unless the block says
 * otherwise.
 */
let service: Followed | null = null
const environment: Record<string, string | undefined> = {
  ...Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^(SPOOR_|NODE_TEST_CONTEXT$)/.test(name))),
  SPOOR_PORT: '0',
}

after(async () => {
  await service?.stop()
  checkout[Symbol.dispose]()
})

for (const page of readPages().filter(({ blocks }) => blocks.some(({ language }) => language === 'sh'))) {
  test(`the commands of ${page.path} work as pasted, in their order`, async (context) => {
    if (page.text.includes(`:${RECEIVER_PORT}/"`) && (await isTaken(RECEIVER_PORT)))
      return context.skip(`port ${RECEIVER_PORT}, which the page uses, is taken`)
    const shell = new ReaderShell(checkout.path, environment)
    const followed: { readonly command: Followed; readonly worked: RegExp }[] = []
    context.after(async () => {
      await Promise.all(followed.map(({ command }) => command.stop()))
      await shell.end()
    })
    for (const { language, text, savedAs } of page.blocks) {
      if (savedAs !== null) writeFileSync(join(checkout.path, savedAs), text)
      if (language !== 'sh') continue
      const rule = FOLLOWED.find(({ command }) => command.test(text))
      if (STARTS_SERVICE.test(text)) await startService(shell, text)
      else if (rule !== undefined) {
        const command = await shell.follow(text)
        followed.push({ command, worked: rule.worked })
        await command.shows(rule.begun)
      } else {
        if (NEEDS_STOP.test(text)) await service?.stop()
        assert.equal(await shell.run(text), 0, `${text}\n${shell.output}`)
      }
    }
    for (const { command, worked } of followed) await command.shows(worked)
    assertWorked(page, shell.output)
  })
}

test('the commands leave no files in the repository', () => assert.equal(gitStatus(), left))

async function startService(shell: ReaderShell, block: string): Promise<void> {
  await service?.stop()
  service = await shell.follow(block)
  const [, url = ''] = await service.shows(/^spoor ready at (\S+)$/m)
  const key = /^ {2}API key: +(\S+)$/m.exec(service.output())?.[1] ?? environment['SPOOR_API_KEY']
  assert.ok(key !== undefined, service.output())
  for (const [name, value] of Object.entries({ SPOOR_URL: url, SPOOR_API_KEY: key })) {
    environment[name] = value
    shell.export(name, value)
  }
}

function assertWorked(page: Page, output: string): void {
  assert.doesNotMatch(output, /"status":[45]\d\d|command not found/, output)
  for (const pattern of SHOWN[page.path] ?? []) assert.match(output, pattern)
}

async function isTaken(port: number): Promise<boolean> {
  const server = createServer()
  return new Promise((resolve) => {
    server.once('error', () => resolve(true))
    server.listen(port, () => server.close(() => resolve(false)))
  })
}

function gitStatus(): string {
  return spawnSync('git', ['status', '--porcelain'], { cwd: ROOT, encoding: 'utf8' }).stdout
}
