// node --import this: Node's test runner records for each promise to which test it belongs, which costs tests with
// many promises two thirds of their processor time. Here it records tests only, so it knows in which suite a test is.
// An error that no test awaits still fails the run, but is not attributed to a test; so its stack is printed.
import asyncHooks from 'node:async_hooks'

const { createHook } = asyncHooks
asyncHooks.createHook = (callbacks) => {
  if (!new Error().stack?.includes('node:internal/test_runner/')) return createHook(callbacks)
  asyncHooks.createHook = createHook
  process.on('uncaughtExceptionMonitor', (error) => console.error(error))
  return createHook({
    trackPromises: false,
    init: (id, type, triggerId, resource) => {
      if (type === 'Test') callbacks.init?.(id, type, triggerId, resource)
    },
  })
}
