// Run by agents.test.ts: agents of LangGraph, with OpenInference.
import { provider } from './exporting.mjs'
import { LangChainInstrumentation } from '@arizeai/openinference-instrumentation-langchain'
import * as callbacks from '@langchain/core/callbacks/manager'
import { runAll } from './langgraph-agent.mjs'

new LangChainInstrumentation({ tracerProvider: provider }).manuallyInstrument(callbacks)
await runAll((runName) => ({ runName, metadata: { thread_id: 'session-7', user_id: 'user-7', plan: 'pro' } }))
await provider.shutdown()
