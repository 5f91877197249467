C     What the drivers of this directory share to check themselves; no
C     part of a model stands here.
C
C     JACCHK: JAC against central differences of EOM at (T,X); the
C     largest deviation of each block, relative to the row.  All entries
C     of JAC are filled with rubbish before, so that one which is never
C     set is found as well.
      SUBROUTINE JACCHK(NP,NV,NR,NW,NS,NL,NM,NI,T,X,IOPT,ROPT,
     #                  EOM,JAC,RPAR,IPAR,NGOOD,NBAD)
      IMPLICIT NONE
      INTEGER          MAXM,MAXN
      PARAMETER        (MAXM=200,MAXN=120)
      INTEGER          NP,NV,NR,NW,NS,NL,NM,NI,IOPT(*),IPAR(*),
     #                 NGOOD,NBAD
      DOUBLE PRECISION T,X(*),ROPT(*),RPAR(*)
      EXTERNAL         EOM,JAC
      INTEGER          MB(6),NB(6),KB(7),N1,N2,N3,N4,M,N,I,J,K,L,IERR
      DOUBLE PRECISION FX(MAXM*MAXN),XD(MAXN),RP(MAXM),RM(MAXM),D,
     #                 ENTRY,DEV(6),RDEV(MAXM),RSIZE(MAXM)
      SAVE             FX
      LOGICAL          GOOD
      CHARACTER*4      WORD
      N1=NW+NL+NM
      N2=NR
      N3=NV
      N4=NS+NP
      N=N1+N2+N3+N4
      MB(1)=NW
      IF (IOPT(5).EQ.0) MB(1)=N1
      MB(2)=NL+NM+NI
      MB(3)=NS+NL
      MB(4)=NR
      MB(5)=NV
      MB(6)=NP
      NB(1)=N
      NB(2)=N3+N4
      NB(3)=N4
      NB(4)=N
      NB(5)=N
      NB(6)=N3+N4
      KB(1)=1
      M=0
      DO 10 K=1,6
        KB(K+1)=KB(K)+MB(K)*NB(K)
        M=M+MB(K)
        DEV(K)=0.D0
   10 CONTINUE
      DO 15 I=1,M
        RDEV(I)=0.D0
        RSIZE(I)=1.D0
   15 CONTINUE
      DO 20 I=1,MAXM*MAXN
        FX(I)=7.77D7
   20 CONTINUE
      IERR=0
      CALL JAC(MB(1),MB(2),MB(3),MB(4),MB(5),MB(6),N1,N2,N3,N4,M,N,
     #         T,X,FX(KB(1)),FX(KB(2)),FX(KB(3)),FX(KB(4)),
     #         FX(KB(5)),FX(KB(6)),IOPT,ROPT,RPAR,IPAR,IERR)
      DO 30 I=1,N
        XD(I)=X(I)
   30 CONTINUE
      DO 70 J=1,N
        D=6.D-6*(0.1D0+ABS(X(J)))
        XD(J)=X(J)+D
        CALL EOM(M,N,T,XD,RP,IOPT,ROPT,IPAR,RPAR,IERR)
        XD(J)=X(J)-D
        CALL EOM(M,N,T,XD,RM,IOPT,ROPT,IPAR,RPAR,IERR)
        XD(J)=X(J)
        L=0
        DO 60 K=1,6
          DO 50 I=1,MB(K)
            L=L+1
            ENTRY=0.D0
            IF (J.GT.N-NB(K)) ENTRY=
     #        FX(KB(K)+(J-N+NB(K)-1)*MB(K)+I-1)
            RSIZE(L)=MAX(RSIZE(L),ABS(ENTRY))
            RDEV(L)=MAX(RDEV(L),ABS(ENTRY+(RP(L)-RM(L))/(2.D0*D)))
   50     CONTINUE
   60   CONTINUE
   70 CONTINUE
      GOOD=.TRUE.
      L=0
      DO 80 K=1,6
        DO 75 I=1,MB(K)
          L=L+1
          DEV(K)=MAX(DEV(K),RDEV(L)/RSIZE(L))
   75   CONTINUE
        GOOD=GOOD.AND.DEV(K).LE.1.D-6
   80 CONTINUE
      WORD='FAIL'
      IF (GOOD) WORD='OK'
      IF (GOOD) NGOOD=NGOOD+1
      IF (.NOT.GOOD) NBAD=NBAD+1
      WRITE(6,100) T,WORD,(DEV(K),K=1,6)
      RETURN
  100 FORMAT(' JAC against differences, T=',F6.3,' : ',A4,' (',
     #       6(E7.1,1X),', allowed 0.1E-05)')
      END
C
C     VERIFY: a number that must not exceed a bound.
      SUBROUTINE VERIFY(TEXT,VALUE,BOUND,NGOOD,NBAD)
      IMPLICIT NONE
      CHARACTER*(*)    TEXT
      INTEGER          NGOOD,NBAD
      DOUBLE PRECISION VALUE,BOUND
      CHARACTER*4      WORD
      WORD='FAIL'
      IF (VALUE.LE.BOUND) WORD='OK'
      IF (WORD.EQ.'OK') NGOOD=NGOOD+1
      IF (WORD.NE.'OK') NBAD=NBAD+1
      WRITE(6,100) TEXT,WORD,VALUE,BOUND
      RETURN
  100 FORMAT('   ',A,' : ',A4,' (',E8.1,', allowed',E8.1,')')
      END
C
C     DEVMAX: largest deviation, relative where the value exceeds 1.
      DOUBLE PRECISION FUNCTION DEVMAX(N,X,Y)
      IMPLICIT NONE
      INTEGER          N,I
      DOUBLE PRECISION X(*),Y(*)
      DEVMAX=0.D0
      DO 10 I=1,N
        IF (.NOT.ABS(X(I)).LE.1.D300) DEVMAX=1.D300
        DEVMAX=MAX(DEVMAX,ABS(X(I)-Y(I))/MAX(1.D0,ABS(Y(I))))
   10 CONTINUE
      RETURN
      END
C
C     SIZMAX: largest absolute value, for residuals.
      DOUBLE PRECISION FUNCTION SIZMAX(N,X)
      IMPLICIT NONE
      INTEGER          N,I
      DOUBLE PRECISION X(*)
      SIZMAX=0.D0
      DO 10 I=1,N
        IF (.NOT.ABS(X(I)).LE.1.D300) SIZMAX=1.D300
        SIZMAX=MAX(SIZMAX,ABS(X(I)))
   10 CONTINUE
      RETURN
      END
C
C     SHOWRN: how a run was asked for, how it ended, and its counters.
      SUBROUTINE SHOWRN(TEXT,IOPT,IJAC,TOL,IDID,T,IWORK,NGOOD,NBAD)
      IMPLICIT NONE
      CHARACTER*(*)    TEXT
      INTEGER          IOPT(40),IJAC,IDID,IWORK(20),NGOOD,NBAD
      DOUBLE PRECISION TOL,T
      CHARACTER*4      WORD
      WRITE(6,100) TEXT,IOPT(5),IJAC,IOPT(11),TOL
      WORD='FAIL'
      IF (IDID.EQ.0) WORD='OK'
      IF (IDID.EQ.0) NGOOD=NGOOD+1
      IF (IDID.NE.0) NBAD=NBAD+1
      WRITE(6,110) IDID,T,WORD
      WRITE(6,120) IWORK(1),IWORK(10),IWORK(11),IWORK(2),IWORK(4),
     #             IWORK(7)
      RETURN
  100 FORMAT(/1X,A,', FORM=',I1,' IJAC=',I1,' DECOMPC=',I1,
     #       ' TOL=',E8.1)
  110 FORMAT('   finished with IDID=',I6,' at T=',F12.6,' : ',A4)
  120 FORMAT('   NACCPT=',I5,' NERJCT=',I4,' NCRJCT=',I4,' NEOM=',I6,
     #       ' NJAC=',I5,' NEDEC=',I5)
      END
C
C     FINISH: the last line; a failure also shows in the exit status.
      SUBROUTINE FINISH(NGOOD,NBAD)
      IMPLICIT NONE
      INTEGER          NGOOD,NBAD
      WRITE(6,100) NGOOD,NBAD
      IF (NBAD.GT.0) STOP 1
      RETURN
  100 FORMAT(/1X,I3,' checks OK, ',I3,' not')
      END
