/** Gets a line for each thing that is created or started. */
export type Report = (line: string) => void;
