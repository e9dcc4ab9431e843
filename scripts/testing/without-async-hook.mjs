// node --import this: Node's test runner records for each promise to which test it belongs, which costs tests with
// many promises two thirds of their processor time. Without the record, an error that no test awaits fails the run, but
// is not attributed to a test; so its stack is printed here.
import asyncHooks from 'node:async_hooks'

const { createHook } = asyncHooks
asyncHooks.createHook = (callbacks) => {
  const hook = createHook(callbacks)
  if (!new Error().stack?.includes('node:internal/test_runner/')) return hook
  asyncHooks.createHook = createHook
  process.on('uncaughtExceptionMonitor', (error) => console.error(error))
  return Object.assign(hook, { enable: () => hook })
}
