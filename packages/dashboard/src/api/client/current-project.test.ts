import assert from 'node:assert/strict'
import { afterEach, test } from 'node:test'
import { enterProject, fromAddress, ofProject, projectInAddress, toAddress } from './current-project.ts'

afterEach(() => enterProject(null))

test('the address names the project, and routes do not', () => {
  assert.equal(projectInAddress('/app/p/proj_1/traces/tr_1'), 'proj_1')
  assert.equal(projectInAddress('/app/p/proj_1'), 'proj_1')
  for (const path of ['/', '/app', '/app/traces', '/app/p', '/app/p/']) assert.equal(projectInAddress(path), null, path)
  assert.equal(fromAddress('/app/p/proj_1/traces/tr_1'), '/app/traces/tr_1')
  assert.equal(fromAddress('/app/p/proj_1'), '/app')
  assert.equal(fromAddress('/app/traces'), '/app/traces')
})

test('screens and requests are those of the project that was entered', () => {
  assert.deepEqual([toAddress('/app/traces'), ofProject('/v1/traces')], ['/app/traces', '/v1/traces'])
  enterProject('proj_1')
  assert.equal(toAddress('/app/traces'), '/app/p/proj_1/traces')
  assert.equal(toAddress('/app'), '/app/p/proj_1')
  assert.equal(toAddress('/docs'), '/docs')
  assert.equal(ofProject('/v1/traces?limit=1'), '/p/proj_1/v1/traces?limit=1')
  assert.equal(ofProject('/healthz'), '/healthz')
})
