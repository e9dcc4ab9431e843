import assert from 'node:assert/strict'
import { existsSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test, type TestContext } from 'node:test'
import { temporaryFolder } from '../storage/sql/temporary-store.test-support.ts'
import { installPrices, startingPrices } from '../profiles/price-list.ts'
import { BUILTIN_PRICES } from '../pricing/price-list.ts'
import { runPricesCommand } from './prices.ts'

const UNSET = { pricesFile: null }

function fixture(context: TestContext) {
  const dataDir = temporaryFolder(context)
  const file = join(dataDir, 'given.json')
  const printed: string[] = []
  return {
    dataDir,
    file,
    list: join(dataDir, 'prices.json'),
    write: (date: string, more: object = {}) =>
      writeFileSync(file, JSON.stringify({ date, sources: [], models: { m: { list: [1, 2] } }, aliases: {}, ...more })),
    async run(...args: readonly string[]) {
      const code = await runPricesCommand(args, {
        install: async (path, folder) => installPrices(path, folder ?? dataDir),
        print: (line) => printed.push(line),
        printError: (line) => printed.push(line),
      })
      return [code, printed.splice(0)[0]]
    },
  }
}

test('a newer list applies from the next start on, and may be replaced', async (context) => {
  const { dataDir, file, list, write, run } = fixture(context)
  assert.equal(startingPrices(UNSET, dataDir), BUILTIN_PRICES)
  write('2099-01-02')
  assert.deepEqual(await run('update', file), [0, '1 prices of 2099-01-02 apply from the next start of the service.'])
  assert.equal(startingPrices(UNSET, dataDir).byName.get('m')?.rates.get('')?.input, 1)
  assert.equal(statSync(list).mode & 0o777, 0o600)
  write('2099-01-01', { models: { n: { list: [1, 2] } } })
  assert.equal((await run('update', file, '--data-dir', dataDir))[0], 0)
  assert.deepEqual([...startingPrices(UNSET, dataDir).byName.keys()], ['n'])
  assert.equal(existsSync(`${list}.new`), false)
})

test('a list with a fault, an older one and one that cannot be read or written are refused, and change nothing', async (context) => {
  const { dataDir, file, list, write, run } = fixture(context)
  write('2099-01-01')
  await run('update', file)
  const before = readFileSync(list, 'utf8')
  write('2099-01-01', { models: { m: { list: [1, -2] } } })
  assert.deepEqual(await run('update', file), [1, `${file} is no list of prices: /models/m/list/1: It must be >= 0.`])
  write('2020-01-01')
  const older = `${file} is of 2020-01-01. The built-in prices are newer: ${BUILTIN_PRICES.date}.`
  assert.deepEqual(await run('update', file), [1, older])
  assert.match(String((await run('update', join(dataDir, 'none.json')))[1]), /none\.json cannot be read: .*ENOENT/)
  write('2099-01-01')
  assert.match(String((await run('update', file, '--data-dir', join(dataDir, 'none')))[1]), /could not be written/)
  assert.equal(readFileSync(list, 'utf8'), before)
  for (const args of [[], ['update'], ['show'], ['update', file, file], ['update', file, '--json']]) {
    assert.equal((await run(...args))[0], 2, args.join(' '))
  }
  assert.equal((await run('--help'))[0], 0)
})

test('a start uses the named file, refuses one that is missing or broken, and prefers newer built-in prices', (context) => {
  const { dataDir, file, list, write } = fixture(context)
  write('2099-01-01')
  assert.equal(startingPrices({ pricesFile: file }, null).date, '2099-01-01')
  write('2020-01-01')
  assert.equal(startingPrices({ pricesFile: file }, dataDir), BUILTIN_PRICES)
  assert.equal(startingPrices(UNSET, null), BUILTIN_PRICES)
  assert.throws(() => startingPrices({ pricesFile: `${file}.none` }, dataDir), {
    name: 'OperatorError',
    message: /ENOENT/,
  })
  writeFileSync(list, '{')
  assert.throws(() => startingPrices(UNSET, dataDir), { name: 'OperatorError', message: /prices\.json is no list/ })
})
