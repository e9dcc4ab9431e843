// Run by agents.test.ts: agents of LangGraph in workflows, with the SDK of OpenLLMetry.
import * as traceloop from '@traceloop/node-server-sdk'
import { runAll } from './langgraph-agent.mjs'

traceloop.initialize({
  appName: 'my-agent',
  instrumentModules: { langchain: true },
  silenceInitializationMessage: true,
  traceloopSyncEnabled: false,
})
const associationProperties = { session_id: 'session-7', user_id: 'user-7', plan: 'pro' }
await runAll(
  () => ({}),
  (name, run) => traceloop.withWorkflow({ name, associationProperties }, run),
)
await traceloop.forceFlush()
