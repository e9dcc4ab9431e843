import assert from 'node:assert/strict'
import { join } from 'node:path'
import { test } from 'node:test'
import { commandFixture } from './control-commands.test-support.ts'
import { runProjectsCommand } from './projects.ts'

test('projects are made and listed, as a table and as JSON', async (context) => {
  const { dependencies, output, audited } = commandFixture(context)
  assert.equal(await runProjectsCommand(['create', 'my agents'], dependencies), 0)
  assert.match(output()[0] ?? '', /^project proj_\w{26} "my agents" created$/)
  assert.equal(await runProjectsCommand(['create', 'other', '--json'], dependencies), 0)
  const made = JSON.parse(output()[0] ?? '') as { id: string; name: string; created_at: string }
  assert.equal(await runProjectsCommand(['list', '--json'], dependencies), 0)
  const { projects } = JSON.parse(output()[0] ?? '') as { projects: (typeof made)[] }
  assert.deepEqual(projects[1], made)
  assert.equal(await runProjectsCommand(['list'], dependencies), 0)
  const table = output()
  assert.match(table[0] ?? '', /^ID +CREATED +NAME$/)
  assert.match(table[1] ?? '', /^proj_\w{26} {2}\d{4}-\S+Z {2}my agents$/)
  const target = { kind: 'project', id: made.id }
  assert.deepEqual(await audited(made.id), [
    { actor: 'system', action: 'project.created', target, detail: { name: 'other' } },
  ])
})

test('a wrong command line is reported with the usage, exit code 2', async (context) => {
  const { dependencies, output, errors } = commandFixture(context)
  for (const args of [
    [],
    ['lits'],
    ['list', 'x'],
    ['create'],
    ['create', 'a', 'b'],
    ['list', '--nope'],
    ['list', '--data-dir'],
  ]) {
    assert.equal(await runProjectsCommand(args, dependencies), 2, args.join(' '))
    assert.match(errors().join('\n'), /\n\nUsage: spoor projects list/)
    assert.deepEqual(output(), [])
  }
})

test('an operation that is not possible is reported in one line, exit code 1', async (context) => {
  const { dependencies, dataDir, errors } = commandFixture(context)
  assert.equal(await runProjectsCommand(['list', '--data-dir', join(dataDir, 'elsewhere')], dependencies), 1)
  assert.match(errors().join('\n'), /^There is no Spoor data in .*elsewhere/)
  assert.equal(await runProjectsCommand(['create', 'x'.repeat(201)], dependencies), 1)
  assert.deepEqual(errors(), ['A name has at most 200 characters.'])
})
