C     The pendulum of the report with method 1: HHT and generalised-alpha
C     on the index-3 equations, IOPT(16)=1 and IOPT(18)=1.
C     Closed form; SOLOUT compares GEDENSOUT with X at both ends of every
C     step.
C
C     X = [ lambda | v1 v2 | p1 p2 ]
C     RPAR: gravity, largest difference of GEDENSOUT and X at grid
C     points, largest residual of gI
C
      PROGRAM HHT
      IMPLICIT NONE
      INTEGER          N,M
      PARAMETER        (N=5,M=7)
      DOUBLE PRECISION XEX(N),X0(N)
      INTEGER          IOPT(40),IWORK(20),IPAR(4),IERR,IDID,IJAC,
     #                 NGOOD,NBAD,I,K
      DOUBLE PRECISION X(N),T,TEND,H,TOL,ROPT(40),RWORK(5*N),RPAR(8),
     #                 DEVMAX,BOUND
      EXTERNAL         IVCOND,EOM,MAS,JAC,SOLOUT,DEVMAX
C
      DATA XEX /6.530129232836035D0,
     #          1.164034305982725D0,-0.893604934116132D0,
     #         -0.608937263148838D0,-0.7932183870465957D0/
C     lambda = (v*v + g*cos(theta))/2 at the lowest point
      DATA X0 /10.795D0, 2.8D0,0.D0, 0.D0,-1.D0/
      NGOOD=0
      NBAD=0
      DO 50 K=1,5
        DO 10 I=1,40
          IOPT(I)=0
          ROPT(I)=0.D0
   10   CONTINUE
        IOPT(15)=4
        IOPT(16)=1
        IOPT(18)=1
        TOL=1.D-7
        IJAC=1
C       1 HHT, 2 less dissipation and differences, 3 generalised-alpha,
C       4 projected output and no gII, 5 constant steps
        IF (K.EQ.2) THEN
          IJAC=0
          ROPT(10)=-0.1D0
        END IF
        IF (K.EQ.3) IOPT(23)=1
        IF (K.EQ.4) THEN
          IOPT(5)=1
          IOPT(22)=3
        END IF
        IF (K.EQ.5) IOPT(19)=1
        RPAR(1)=13.75D0
        RPAR(2)=0.D0
        RPAR(3)=0.D0
        DO 20 I=1,N
          X(I)=X0(I)
   20   CONTINUE
        IF (K.EQ.1) CALL JACCHK(2,2,0,0,0,1,0,0,0.D0,XEX,IOPT,ROPT,
     #    EOM,JAC,RPAR,IPAR,NGOOD,NBAD)
C       Without gII the multiplier is found by the method itself.
        IF (K.EQ.4) X(1)=0.D0
        TEND=5.D0
        T=0.D0
        H=1.D-3
        IERR=0
        IDID=0
        CALL GEOMS(
     #    2,2,0,0,0,1,0,0,M-IOPT(5),N,0,
     #    X,T,TEND,H,TOL,TOL,0,IOPT,ROPT,
     #    IVCOND,EOM,MAS,JAC,IJAC,
     #    SOLOUT,1,
     #    20,IWORK,5*N,RWORK,
     #    RPAR,IPAR,IERR,
     #    IDID)
        CALL SHOWRN('HHT',IOPT,IJAC,TOL,IDID,T,IWORK,NGOOD,NBAD)
        WRITE(6,100) (X(I),I=1,N)
C       Of second order: the error follows TOL**(2/3).
        BOUND=20.D0*TOL**(2.D0/3.D0)
        CALL VERIFY('position',DEVMAX(2,X(4),XEX(4)),BOUND,NGOOD,NBAD)
        CALL VERIFY('velocity',DEVMAX(2,X(2),XEX(2)),10.D0*BOUND,
     #              NGOOD,NBAD)
        CALL VERIFY('multiplier',DEVMAX(1,X,XEX),2.D2*BOUND,NGOOD,NBAD)
        CALL VERIFY('dense output',RPAR(2),1.D-13,NGOOD,NBAD)
        IF (K.EQ.4) CALL VERIFY('residual of gI',RPAR(3),1.D-12,
     #                          NGOOD,NBAD)
   50 CONTINUE
C     alpha must lie between -1/3 and 0
      ROPT(10)=-0.5D0
      T=0.D0
      IDID=0
      CALL GEOMS(
     #  2,2,0,0,0,1,0,0,M,N,0,
     #  X,T,TEND,H,TOL,TOL,0,IOPT,ROPT,
     #  IVCOND,EOM,MAS,JAC,IJAC,
     #  SOLOUT,1,
     #  20,IWORK,5*N,RWORK,
     #  RPAR,IPAR,IERR,
     #  IDID)
      CALL VERIFY('refusal of alpha',DBLE(ABS(IDID+1001)),0.5D0,
     #            NGOOD,NBAD)
      CALL FINISH(NGOOD,NBAD)
  100 FORMAT('   la ',F15.10/'   v  ',2F15.10/'   p  ',2F15.10)
      END
C
      SUBROUTINE EOM(M,N,T,X,RDA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(N),RDA(M),ROPT(*),RPAR(*)
      DOUBLE PRECISION F(2)
      INTEGER          L
      F(1)=-2.D0*X(4)*X(1)
      F(2)=-RPAR(1)-2.D0*X(5)*X(1)
      L=0
C     gII | gI | g
      IF (IOPT(5).EQ.0) THEN
        RDA(1)=2.D0*(X(2)**2+X(3)**2+X(4)*F(1)+X(5)*F(2))
        L=1
      END IF
      RDA(L+1)=2.D0*(X(2)*X(4)+X(3)*X(5))
      RDA(L+2)=X(4)**2+X(5)**2-1.D0
C     f_dyn | f_kin
      RDA(L+3)=F(1)
      RDA(L+4)=F(2)
      RDA(L+5)=X(2)
      RDA(L+6)=X(3)
      RETURN
      END
C
      SUBROUTINE MAS(T,NX,X,M,N,MA,IOPT,ROPT,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          NX,M,N,IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(NX),MA(M,N),ROPT(*),RPAR(*)
      MA(1,1)=1.D0
      MA(2,1)=0.D0
      MA(1,2)=0.D0
      MA(2,2)=1.D0
      RETURN
      END
C
C     NEGATIVE partial derivatives.
      SUBROUTINE JAC(M1,M2,M3,M4,M5,M6,N1,N2,N3,N4,M,N,
     #               T,X,FX1,FX2,FX3,FX4,FX5,FX6,
     #               IOPT,ROPT,RPAR,IPAR,IERR)
      IMPLICIT NONE
      INTEGER          M1,M2,M3,M4,M5,M6,N1,N2,N3,N4,M,N,
     #                 IOPT(*),IPAR(*),IERR
      DOUBLE PRECISION T,X(N),FX1(M1,N),FX2(M2,N3+N4),FX3(M3,N4),
     #                 FX4(M4,N),FX5(M5,N),FX6(M6,N3+N4),
     #                 ROPT(*),RPAR(*)
      INTEGER          I,J
      DO 20 J=1,N
        DO 10 I=1,M5
          FX5(I,J)=0.D0
   10   CONTINUE
   20 CONTINUE
      DO 40 J=1,N3+N4
        DO 30 I=1,M6
          FX6(I,J)=0.D0
   30   CONTINUE
   40 CONTINUE
      IF (M1.EQ.1) THEN
        FX1(1,1)=4.D0*(X(4)**2+X(5)**2)
        DO 50 I=1,2
          FX1(1,1+I)=-4.D0*X(1+I)
          FX1(1,3+I)=8.D0*X(1)*X(3+I)
   50   CONTINUE
        FX1(1,5)=FX1(1,5)+2.D0*RPAR(1)
      END IF
      DO 60 I=1,2
        FX2(1,I)=-2.D0*X(3+I)
        FX2(1,2+I)=-2.D0*X(1+I)
        FX3(1,I)=-2.D0*X(3+I)
        FX5(I,1)=2.D0*X(3+I)
        FX5(I,3+I)=2.D0*X(1)
        FX6(I,I)=-1.D0
   60 CONTINUE
      RETURN
      END
C
C     GEDENSOUT at both ends of the step, and gI.
      SUBROUTINE SOLOUT(NACCPT,TOLD,T,X,N,NN2,NN3,NN4,CONTX,H,C1M1,
     #                  C2M1,RPAR,IPAR,IERR)
      IMPLICIT NONE
      INTEGER          NACCPT,N,NN2,NN3,NN4,IPAR(*),IERR
      DOUBLE PRECISION TOLD,T,H,X(N),CONTX(NN4),RPAR(*),C1M1,C2M1
      DOUBLE PRECISION GEDENSOUT
      INTEGER          I
      EXTERNAL         GEDENSOUT
      DO 10 I=2,5
        RPAR(2)=MAX(RPAR(2),ABS(X(I)-GEDENSOUT(I,T,N,
     #          NN2,NN3,NN4,T,H,CONTX,C1M1,C2M1)))
        IF (NACCPT.GT.0) RPAR(2)=MAX(RPAR(2),ABS(RPAR(3+I)-GEDENSOUT(
     #          I,TOLD,N,NN2,NN3,NN4,T,H,CONTX,C1M1,C2M1)))
   10 CONTINUE
      DO 20 I=2,5
        RPAR(3+I)=X(I)
   20 CONTINUE
      RPAR(3)=MAX(RPAR(3),ABS(X(2)*X(4)+X(3)*X(5)))
      RETURN
      END
C
      SUBROUTINE IVCOND(N,T,X,NCOND,COND,IPAR,RPAR,IERR)
      IMPLICIT NONE
      INTEGER          N,NCOND,IPAR(*),IERR
      DOUBLE PRECISION T,X(N),COND(*),RPAR(*)
      IERR=-1
      RETURN
      END
C     ---- Checks; the same in every driver, no part of the model. ----
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
