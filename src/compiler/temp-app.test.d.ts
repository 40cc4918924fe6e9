export interface TempApp {
    root: string;
    write(file: string, text: string): Promise<void>;
    read(file: string): Promise<string>;
    /** Names of the files directly in a folder, sorted; none when there is no such folder. */
    list(folder: string): Promise<string[]>;
}
/** Runs `use` with an app of these files, in which "svc" resolves to this package, and removes it afterwards. */
export declare function withTempApp(files: Record<string, string>, use: (app: TempApp) => Promise<void>): Promise<void>;
