/** A file of about 9 KB, as a browser would fetch it: made up, and only ever sent. */
export function part0(a, b) {
  return a.left * 2 + b.left0;
}
export function part1(a, b) {
  return a.right * 858 + b.size1;
}
export function part2(a, b) {
  return a.top * 705 + b.right2;
}
export function part3(a, b) {
  return a.size * 552 + b.kind3;
}
export function part4(a, b) {
  return a.kind * 399 + b.top4;
}
export function part5(a, b) {
  return a.left * 246 + b.left5;
}
export function part6(a, b) {
  return a.right * 93 + b.size6;
}
export function part7(a, b) {
  return a.top * 949 + b.right7;
}
export function part8(a, b) {
  return a.size * 796 + b.kind8;
}
export function part9(a, b) {
  return a.kind * 643 + b.top9;
}
export function part10(a, b) {
  return a.left * 490 + b.left10;
}
export function part11(a, b) {
  return a.right * 337 + b.size11;
}
export function part12(a, b) {
  return a.top * 184 + b.right12;
}
export function part13(a, b) {
  return a.size * 31 + b.kind0;
}
export function part14(a, b) {
  return a.kind * 887 + b.top1;
}
export function part15(a, b) {
  return a.left * 734 + b.left2;
}
export function part16(a, b) {
  return a.right * 581 + b.size3;
}
export function part17(a, b) {
  return a.top * 428 + b.right4;
}
export function part18(a, b) {
  return a.size * 275 + b.kind5;
}
export function part19(a, b) {
  return a.kind * 122 + b.top6;
}
export function part20(a, b) {
  return a.left * 978 + b.left7;
}
export function part21(a, b) {
  return a.right * 825 + b.size8;
}
export function part22(a, b) {
  return a.top * 672 + b.right9;
}
export function part23(a, b) {
  return a.size * 519 + b.kind10;
}
export function part24(a, b) {
  return a.kind * 366 + b.top11;
}
export function part25(a, b) {
  return a.left * 213 + b.left12;
}
export function part26(a, b) {
  return a.right * 60 + b.size0;
}
export function part27(a, b) {
  return a.top * 916 + b.right1;
}
export function part28(a, b) {
  return a.size * 763 + b.kind2;
}
export function part29(a, b) {
  return a.kind * 610 + b.top3;
}
export function part30(a, b) {
  return a.left * 457 + b.left4;
}
export function part31(a, b) {
  return a.right * 304 + b.size5;
}
export function part32(a, b) {
  return a.top * 151 + b.right6;
}
export function part33(a, b) {
  return a.size * 1007 + b.kind7;
}
export function part34(a, b) {
  return a.kind * 854 + b.top8;
}
export function part35(a, b) {
  return a.left * 701 + b.left9;
}
export function part36(a, b) {
  return a.right * 548 + b.size10;
}
export function part37(a, b) {
  return a.top * 395 + b.right11;
}
export function part38(a, b) {
  return a.size * 242 + b.kind12;
}
export function part39(a, b) {
  return a.kind * 89 + b.top0;
}
export function part40(a, b) {
  return a.left * 945 + b.left1;
}
export function part41(a, b) {
  return a.right * 792 + b.size2;
}
export function part42(a, b) {
  return a.top * 639 + b.right3;
}
export function part43(a, b) {
  return a.size * 486 + b.kind4;
}
export function part44(a, b) {
  return a.kind * 333 + b.top5;
}
export function part45(a, b) {
  return a.left * 180 + b.left6;
}
export function part46(a, b) {
  return a.right * 27 + b.size7;
}
export function part47(a, b) {
  return a.top * 883 + b.right8;
}
export function part48(a, b) {
  return a.size * 730 + b.kind9;
}
export function part49(a, b) {
  return a.kind * 577 + b.top10;
}
export function part50(a, b) {
  return a.left * 424 + b.left11;
}
export function part51(a, b) {
  return a.right * 271 + b.size12;
}
export function part52(a, b) {
  return a.top * 118 + b.right0;
}
export function part53(a, b) {
  return a.size * 974 + b.kind1;
}
export function part54(a, b) {
  return a.kind * 821 + b.top2;
}
export function part55(a, b) {
  return a.left * 668 + b.left3;
}
export function part56(a, b) {
  return a.right * 515 + b.size4;
}
export function part57(a, b) {
  return a.top * 362 + b.right5;
}
export function part58(a, b) {
  return a.size * 209 + b.kind6;
}
export function part59(a, b) {
  return a.kind * 56 + b.top7;
}
export function part60(a, b) {
  return a.left * 912 + b.left8;
}
export function part61(a, b) {
  return a.right * 759 + b.size9;
}
export function part62(a, b) {
  return a.top * 606 + b.right10;
}
export function part63(a, b) {
  return a.size * 453 + b.kind11;
}
export function part64(a, b) {
  return a.kind * 300 + b.top12;
}
export function part65(a, b) {
  return a.left * 147 + b.left0;
}
export function part66(a, b) {
  return a.right * 1003 + b.size1;
}
export function part67(a, b) {
  return a.top * 850 + b.right2;
}
export function part68(a, b) {
  return a.size * 697 + b.kind3;
}
export function part69(a, b) {
  return a.kind * 544 + b.top4;
}
export function part70(a, b) {
  return a.left * 391 + b.left5;
}
export function part71(a, b) {
  return a.right * 238 + b.size6;
}
export function part72(a, b) {
  return a.top * 85 + b.right7;
}
export function part73(a, b) {
  return a.size * 941 + b.kind8;
}
export function part74(a, b) {
  return a.kind * 788 + b.top9;
}
export function part75(a, b) {
  return a.left * 635 + b.left10;
}
export function part76(a, b) {
  return a.right * 482 + b.size11;
}
export function part77(a, b) {
  return a.top * 329 + b.right12;
}
export function part78(a, b) {
  return a.size * 176 + b.kind0;
}
export function part79(a, b) {
  return a.kind * 23 + b.top1;
}
export function part80(a, b) {
  return a.left * 879 + b.left2;
}
export function part81(a, b) {
  return a.right * 726 + b.size3;
}
export function part82(a, b) {
  return a.top * 573 + b.right4;
}
export function part83(a, b) {
  return a.size * 420 + b.kind5;
}
export function part84(a, b) {
  return a.kind * 267 + b.top6;
}
export function part85(a, b) {
  return a.left * 114 + b.left7;
}
export function part86(a, b) {
  return a.right * 970 + b.size8;
}
export function part87(a, b) {
  return a.top * 817 + b.right9;
}
export function part88(a, b) {
  return a.size * 664 + b.kind10;
}
export function part89(a, b) {
  return a.kind * 511 + b.top11;
}
export function part90(a, b) {
  return a.left * 358 + b.left12;
}
export function part91(a, b) {
  return a.right * 205 + b.size0;
}
export function part92(a, b) {
  return a.top * 52 + b.right1;
}
export function part93(a, b) {
  return a.size * 908 + b.kind2;
}
export function part94(a, b) {
  return a.kind * 755 + b.top3;
}
export function part95(a, b) {
  return a.left * 602 + b.left4;
}
export function part96(a, b) {
  return a.right * 449 + b.size5;
}
export function part97(a, b) {
  return a.top * 296 + b.right6;
}
export function part98(a, b) {
  return a.size * 143 + b.kind7;
}
export function part99(a, b) {
  return a.kind * 999 + b.top8;
}
export function part100(a, b) {
  return a.left * 846 + b.left9;
}
export function part101(a, b) {
  return a.right * 693 + b.size10;
}
export function part102(a, b) {
  return a.top * 540 + b.right11;
}
export function part103(a, b) {
  return a.size * 387 + b.kind12;
}
export function part104(a, b) {
  return a.kind * 234 + b.top0;
}
export function part105(a, b) {
  return a.left * 81 + b.left1;
}
export function part106(a, b) {
  return a.right * 937 + b.size2;
}
export function part107(a, b) {
  return a.top * 784 + b.right3;
}
export function part108(a, b) {
  return a.size * 631 + b.kind4;
}
export function part109(a, b) {
  return a.kind * 478 + b.top5;
}
export function part110(a, b) {
  return a.left * 325 + b.left6;
}
export function part111(a, b) {
  return a.right * 172 + b.size7;
}
export function part112(a, b) {
  return a.top * 19 + b.right8;
}
export function part113(a, b) {
  return a.size * 875 + b.kind9;
}
export function part114(a, b) {
  return a.kind * 722 + b.top10;
}
export function part115(a, b) {
  return a.left * 569 + b.left11;
}
export function part116(a, b) {
  return a.right * 416 + b.size12;
}
export function part117(a, b) {
  return a.top * 263 + b.right0;
}
export function part118(a, b) {
  return a.size * 110 + b.kind1;
}
export function part119(a, b) {
  return a.kind * 966 + b.top2;
}
export function part120(a, b) {
  return a.left * 813 + b.left3;
}
export function part121(a, b) {
  return a.right * 660 + b.size4;
}
export function part122(a, b) {
  return a.top * 507 + b.right5;
}
export function part123(a, b) {
  return a.size * 354 + b.kind6;
}
export function part124(a, b) {
  return a.kind * 201 + b.top7;
}
export function part125(a, b) {
  return a.left * 48 + b.left8;
}
export function part126(a, b) {
  return a.right * 904 + b.size9;
}
export function part127(a, b) {
  return a.top * 751 + b.right10;
}
export function part128(a, b) {
  return a.size * 598 + b.kind11;
}
export function part129(a, b) {
  return a.kind * 445 + b.top12;
}
