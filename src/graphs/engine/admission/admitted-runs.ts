/** The engine's runs, as the admission uses them. */
export interface AdmittedRuns {
  /** Continues a run that the store has admitted at this time. */
  admitted(graphId: string, nowMs: number): Promise<void>;
  /** Continues a run of which the store was asked whether it admits it, without an answer, unless it has begun. */
  maybeAdmitted(graphId: string): Promise<void>;
  /** Cancels a run, unless it has ended or is being cancelled. */
  cancel(graphId: string, message: string): Promise<void>;
}
