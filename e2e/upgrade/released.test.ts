import assert from 'node:assert/strict'
import { globSync, mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { clockBehind } from '../lib/clock-behind.ts'
import { serve } from '../lib/media/media.ts'
import { Service } from '../lib/service.ts'
import {
  ANSWERS_FILE,
  assertAnswers,
  assertRepeats,
  eventsThrough,
  sharedFields,
  type StoreAnswers,
} from './store-answers.ts'
import { makeStore, unpackStore } from './store-archive.ts'

const MOST_BYTES = 200 * 1024
const DAY_MS = 86_400_000
const LATER_DAYS = 20 * 365

/** Stores of releases, made by make-store.ts. They must open for ever. */
for (const path of globSync(join(import.meta.dirname, '[0-9]*.tar.zst'))) {
  test(`a store of ${basename(path, '.tar.zst')} opens and answers as it did`, (context) =>
    opens(context, readFileSync(path), 0))
}

test('a store of this version that was killed and packed opens and answers as it did, also in twenty years', async (context) => {
  const bytes = await makeStore(folderFor(context))
  assert.ok(bytes.length <= MOST_BYTES, `${bytes.length} bytes`)
  await opens(context, bytes, LATER_DAYS)
})

/** First with the clock of the time when it was made, then with one that many days after today. */
async function opens(context: TestContext, bytes: Buffer, laterDays: number): Promise<void> {
  const dataDir = folderFor(context)
  unpackStore(bytes, dataDir)
  const answers = JSON.parse(readFileSync(join(dataDir, ANSWERS_FILE), 'utf8')) as StoreAnswers
  const { key, at, always, passing, events, repeated, medium } = answers
  assert.ok(always.length > 150 && passing.length > 5)
  const environment = { SPOOR_BOOTSTRAP_KEY: key, SPOOR_AUDIT_RETENTION_DAYS: '36500' }
  const made = { ...environment, ...clockBehind((Date.now() - at) / DAY_MS) }
  await using service = await Service.start({ dataDir, environment: made })
  await assertAnswers(service.client, [...always, ...passing])
  const last = (repeated[0]!.body as { id: string }).id
  assert.deepEqual(sharedFields(await eventsThrough(service.client, key, last), events), events)
  for (const request of repeated) await assertRepeats(service.client, request)
  await service.stop()
  await service.start([], { settings: clockBehind(-laterDays) })
  await assertAnswers(service.client, always)
  assert.equal((await serve(service.client, medium.uri)).text, medium.text)
}

function folderFor(context: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'spoor-released-'))
  context.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}
