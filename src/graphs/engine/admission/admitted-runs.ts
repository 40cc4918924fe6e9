/** The engine's runs, as the admission uses them. */
export interface AdmittedRuns {
  /** Continues a run that the store has admitted at this time. */
  admitted(graphId: string, nowMs: number): Promise<void>;
  /** Cancels a run, unless it has ended or is being cancelled. */
  cancel(graphId: string, message: string): Promise<void>;
}
