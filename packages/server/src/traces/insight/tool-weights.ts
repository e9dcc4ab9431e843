import type { Action, Run } from './run-actions.ts'

/** How much a difference between two runs tells, from 0 to 1. */
export interface ToolWeights {
  /** That this action, with its arguments, is in one run alone. */
  ofAction(action: Action): number
  /** That its tool is in one run alone. */
  ofTool(action: Action): number
}

interface Consistency {
  calls: number
  /** Sums of the shares of other successes of the task with the same action, and with the same tool. */
  sameAction: number
  sameTool: number
}

/** Cubed, a tool whose arguments agree half of the time counts an eighth: searches and notes do not decide. */
const POWER = 3
/** For a project that says nothing. */
const UNKNOWN = 0.5
/** Successes of one task that are compared with each other. */
const MOST_OF_TASK = 10

/**
 * Learned from the successes of several tasks: an action counts as much as the successes of one task agree on it. A
 * tool that no task shows often counts as the mean of all tools.
 */
export function learnWeights(tasks: Iterable<readonly Run[]>): ToolWeights {
  const byTool = new Map<string, Consistency>()
  const all: Consistency = { calls: 0, sameAction: 0, sameTool: 0 }
  for (const task of tasks) {
    const runs = task.slice(0, MOST_OF_TASK)
    if (runs.length < 2) continue
    for (const run of runs) {
      for (const { tool, key } of run.actions) {
        const found = byTool.get(tool) ?? { calls: 0, sameAction: 0, sameTool: 0 }
        byTool.set(tool, found)
        // Without the run itself.
        const share = (count: number) => (count - 1) / (runs.length - 1)
        const sameAction = share(runs.filter(({ keys }) => keys.has(key)).length)
        const sameTool = share(runs.filter(({ tools }) => tools.has(tool)).length)
        for (const sum of [found, all]) {
          sum.calls += 1
          sum.sameAction += sameAction
          sum.sameTool += sameTool
        }
      }
    }
  }
  const weight = ({ tool, failed }: Action, name: 'sameAction' | 'sameTool') => {
    if (failed) return 1
    const mean = all.calls === 0 ? UNKNOWN : all[name] / all.calls
    const { calls, [name]: sum } = byTool.get(tool) ?? { calls: 0, sameAction: 0, sameTool: 0 }
    return ((sum + mean) / (calls + 1)) ** POWER
  }
  return { ofAction: (action) => weight(action, 'sameAction'), ofTool: (action) => weight(action, 'sameTool') }
}
