/** A curl command that reads the trace. It takes the key from the shell's environment. */
export function toCurl(origin: string, traceId: string): string {
  return `curl -sS '${origin}/v1/traces/${traceId}' -H "x-api-key: $SPOOR_API_KEY"`
}
