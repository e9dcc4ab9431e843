import type { Action, Run } from './run-actions.ts'

/** How much a difference between two runs tells, from 0 to 1. */
export interface ToolWeights {
  /** That this action, with its arguments, is in one run alone. */
  ofAction(action: Action): number
  /** That its tool is in one run alone. */
  ofTool(action: Action): number
  /**
   * How much more often failed runs than successes differ from successes in this tool; 1 if no failed run is known. A
   * failed action tells as much as the most telling tool: agents cope with many failures.
   */
  ofFailure(action: Action): number
}

export interface TaskRuns {
  readonly successes: readonly Run[]
  readonly failures: readonly Run[]
}

interface Consistency {
  calls: number
  /** Sums of the shares of other successes of the task with the same action, and with the same tool. */
  sameAction: number
  sameTool: number
  /** Calls of failed runs, and the sum of the shares of successes with the same action. */
  failedCalls: number
  failedSame: number
}

/** Cubed, a tool whose arguments agree half of the time counts an eighth: searches and notes do not decide. */
const POWER = 3
/** For a project that says nothing. */
const UNKNOWN = 0.5
/** Successes of one task that are compared with each other. */
const MOST_OF_TASK = 10

/**
 * Learned from the runs of several tasks: an action counts as much as the successes of one task agree on it. A
 * tool that no task shows often counts as the mean of all tools.
 */
export function learnWeights(tasks: Iterable<TaskRuns>): ToolWeights {
  const byTool = new Map<string, Consistency>()
  const all = nothingKnown()
  const consistencyOf = (tool: string) => {
    const found = byTool.get(tool) ?? nothingKnown()
    byTool.set(tool, found)
    return found
  }
  for (const { successes, failures } of tasks) {
    const runs = successes.slice(0, MOST_OF_TASK)
    if (runs.length < 2) continue
    for (const { tool, key } of failures.slice(0, MOST_OF_TASK).flatMap(({ actions }) => actions)) {
      const same = runs.filter(({ keys }) => keys.has(key)).length / runs.length
      for (const sum of [consistencyOf(tool), all]) {
        sum.failedCalls += 1
        sum.failedSame += same
      }
    }
    for (const run of runs) {
      for (const { tool, key } of run.actions) {
        const found = consistencyOf(tool)
        // Without the run itself.
        const others = (count: number) => (count - 1) / (runs.length - 1)
        const sameAction = others(runs.filter(({ keys }) => keys.has(key)).length)
        const sameTool = others(runs.filter(({ tools }) => tools.has(tool)).length)
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
    const { calls, [name]: sum } = byTool.get(tool) ?? nothingKnown()
    return ((sum + mean) / (calls + 1)) ** POWER
  }
  const excess = ({ calls, sameAction, failedCalls, failedSame }: Consistency, mean: Consistency) => {
    const ofSuccess = (sameAction + share(mean.sameAction, mean.calls)) / (calls + 1)
    const ofFailure = (failedSame + share(mean.failedSame, mean.failedCalls)) / (failedCalls + 1)
    return Math.max(0, ofSuccess - ofFailure)
  }
  const most = Math.max(0, ...Array.from(byTool.values(), (one) => excess(one, all)))
  return {
    ofAction: (action) => weight(action, 'sameAction'),
    ofTool: (action) => weight(action, 'sameTool'),
    ofFailure: ({ tool, failed }) => {
      if (all.failedCalls === 0) return 1
      return failed ? most : excess(byTool.get(tool) ?? nothingKnown(), all)
    },
  }
}

const share = (sum: number, calls: number) => (calls === 0 ? UNKNOWN : sum / calls)
const nothingKnown = (): Consistency => ({ calls: 0, sameAction: 0, sameTool: 0, failedCalls: 0, failedSame: 0 })
